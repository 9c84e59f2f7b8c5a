/// An event that has a meaning for statistics, by the name under which devices report it.
///
/// Devices may report other names, of which a package has a limited number (``EventNames``).
package enum NamedEvent: String, Sendable, CaseIterable {
    case downloadStarted
    case downloaded
    case downloadFailed
    case verifyFailed
    case applied
    case applyFailed
    case fellBack
    case activated
    case opened
    case pageLoad
    case resourceMissing
    case whiteScreen
    case scriptError
    case crash
    case failed
    case rolledBack
    case configFailed
    case custom

    /// The description in the schema of reports.
    package var meaning: String {
        switch self {
        case .downloadStarted: "The device began to download the version."
        case .downloaded: "The device downloaded the version; `duration` and `bytes` are those of the download."
        case .downloadFailed: "The download failed, for the `reason`."
        case .verifyFailed: "A digest or signature of the download is wrong, for the `reason`."
        case .applied: "The device installed the version; `duration` is that of the update."
        case .applyFailed: "The device could not unpack, patch or install the version, for the `reason`."
        case .fellBack:
            "A smaller way of the update failed, for the `reason`, and the device took the next one: delta, files, full, "
                + "network. `kind` names the way that failed."
        case .activated: "The version is the one that the app opens from now on."
        case .opened: "A user opened the package."
        case .pageLoad: "A page of the package was loaded; `duration` is the time that it took."
        case .resourceMissing: "A page requested a file that the package lacks."
        case .whiteScreen: "A page stayed empty."
        case .scriptError: "A script of a page failed."
        case .crash: "The app or its web view crashed while the package was open."
        case .failed: "The update failed, for the `reason`; a client that knows the step reports that of the step."
        case .rolledBack: "The device returned to an earlier version."
        case .configFailed:
            "The device could not get or accept the config, for the `reason`; `version` is the version in use."
        case .custom: "An event of the app; `reason` tells such events apart."
        }
    }
}
