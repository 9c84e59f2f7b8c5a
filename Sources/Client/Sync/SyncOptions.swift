package import Domain

/// What `larder sync` is told.
package struct SyncOptions: Sendable {
    /// The client's base: a server's root, or `…/apps/{app}`, or `…/apps/{app}/channels/{channel}`.
    package var base: HTTPURL
    /// Where the packages are to lie; made where it is missing.
    package var directory: String
    /// The fingerprint that the server's root key must have: 64 hex digits.
    package var rootKey: SHA256Digest?
    /// The packages to bring up to date; `nil` for all that are offered.
    package var only: Set<PackageID>?
    package var sendsReports: Bool
    /// Whether a `/config` that is not signed as a whole is taken as well.
    package var acceptsUnsigned = false
    /// What the device says about itself beside its id and what it has, by the names of `/config`'s query.
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
