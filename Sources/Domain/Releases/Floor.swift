/// A version that devices have to have been at before they get a release.
package struct Floor: Sendable, Hashable {
    /// Devices below it go through a release of lower rank first.
    package let version: VersionString
    /// For operators who ask why.
    package let reason: String
    package let withoutHave: Answer

    /// What a device that does not say what it has gets.
    package enum Answer: String, Sendable, CaseIterable {
        case offer
        case withhold
    }

    /// Bytes of a reason at most.
    package static let maximumReasonLength = 500

    /// Fails where the version has no place among others.
    package init?(version: VersionString, reason: String, withoutHave: Answer) {
        guard OrderedVersion(version.text) != nil else { return nil }
        self.version = version
        self.reason = reason
        self.withoutHave = withoutHave
    }

    /// Whether a device with these versions of the package, the one in use first, may take the release.
    ///
    /// One that says that it does not have the package has nothing to go through.
    ///
    /// - Parameter installed: `nil` where the device does not say.
    func admits(_ installed: [VersionString]?) -> Bool {
        guard let installed else { return withoutHave == .offer }
        guard let used = installed.first else { return true }
        guard let own = OrderedVersion(used.text), let floor = OrderedVersion(version.text) else {
            return withoutHave == .offer
        }
        return own >= floor
    }
}
