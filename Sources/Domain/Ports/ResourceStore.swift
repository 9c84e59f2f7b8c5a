/// The store of resources' numbers (clients.md P7) and of the history of the lists that named them.
///
/// Changes leave the config version unchanged.
package protocol ResourceStore: Sendable {
    /// Assigns numbers to the resources of the current and the scheduled version (``ResourceNumbering``), permanently.
    ///
    /// Writes nothing if no number is new. Throws `packageNotFound`.
    ///
    /// - Parameter list: The list to record with the numbers; `nil` if it is recorded already.
    func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], recording list: ListHistory.Entry?,
        of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> ResourceNumbers
    /// Returns the last numbers under which these contents were current; omits contents that never were.
    func currentNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> [ResourceID: Int64]
    /// Returns the sequence of a package's latest event; 0 if it has none.
    func latestEvent(of package: PackageID, in app: AppID) async throws(PlatformError) -> Int64
    /// Returns the most recently recorded lists of a package.
    func listHistory(of package: PackageID, in app: AppID) async throws(PlatformError) -> ListHistory
}

/// The numbers of the resources of a current and of a scheduled version.
package struct ResourceNumbers: Sendable, Equatable {
    package let current: [ResourceID: Int64]
    package let coming: [ResourceID: Int64]

    package init(current: [ResourceID: Int64], coming: [ResourceID: Int64]) {
        self.current = current
        self.coming = coming
    }
}
