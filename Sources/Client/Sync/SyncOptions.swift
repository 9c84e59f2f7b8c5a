package import Domain
package import Transport

/// The options of `larder sync`.
package struct SyncOptions: Sendable {
    /// The client's base: a server's root, or `…/apps/{app}`, or `…/apps/{app}/channels/{channel}`.
    package var base: HTTPURL
    /// The folder of the packages; created if it is missing.
    package var directory: String
    /// The fingerprint that the server's root key must have: 64 hex digits.
    package var rootKey: SHA256Digest?
    /// The packages to bring up to date; `nil` for all that are offered.
    package var only: Set<PackageID>?
    package var sendsReports: Bool
    /// Whether to accept a `/config` that is not signed as a whole.
    package var acceptsUnsigned = false
    /// The device facts besides the id and the versions in use, by the names of `/config`'s query.
    package var facts: [(fact: Fact, value: String)] = []

    package init(
        base: HTTPURL, directory: String, rootKey: SHA256Digest? = nil, only: Set<PackageID>? = nil,
        sendsReports: Bool = true
    ) {
        self.base = base
        self.directory = directory
        self.rootKey = rootKey
        self.only = only
        self.sendsReports = sendsReports
    }
}
