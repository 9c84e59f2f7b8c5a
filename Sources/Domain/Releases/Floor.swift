/// The lowest version that a device must have before it gets a release.
package struct Floor: Sendable, Hashable {
    /// The version; devices below it first get a release of lower rank.
    package let version: VersionString
    /// The reason, for operators.
    package let reason: String
    package let withoutHave: Behavior

    /// The behavior for a device that does not send the versions that it has.
    package enum Behavior: String, Sendable, CaseIterable {
        case offer
        case withhold
    }

    /// The limit on the bytes of a reason.
    package static let maximumReasonLength = 500

    /// Fails if the version cannot be ordered.
    package init?(version: VersionString, reason: String, withoutHave: Behavior) {
        guard OrderedVersion(version.text) != nil else { return nil }
        self.version = version
        self.reason = reason
        self.withoutHave = withoutHave
    }

    /// Returns whether a device with these versions of the package, the one in use first, may get the release.
    ///
    /// A device without the package passes.
    ///
    /// - Parameter installed: The versions; `nil` if the device does not send them.
    func admits(_ installed: [VersionString]?) -> Bool {
        guard let installed else { return withoutHave == .offer }
        guard let used = installed.first else { return true }
        guard let own = OrderedVersion(used.text), let floor = OrderedVersion(version.text) else {
            return withoutHave == .offer
        }
        return own >= floor
    }
}
