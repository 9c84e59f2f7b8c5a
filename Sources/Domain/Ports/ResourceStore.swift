/// The stored numbers of resources (clients.md P7) and the history of the lists that named them.
///
/// Each method is one transaction. Throw `storageFull` or `storageFailed` where the store fails.
package protocol ResourceStore: Sendable {
    /// Gives the resources of the current and the coming version their numbers (``ResourceNumbering``); they are kept for
    /// ever once this returns. Nothing is written where none is new. Throws `packageNotFound`.
    ///
    /// - Parameter list: A list that is to be recorded with them; `nil` where that is the case already.
    func numberResources(
        current: [ResourceID: SHA256Digest], coming: [ResourceID: SHA256Digest], recording list: ListHistory.Entry?,
        of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> ResourceNumbers
    /// The last numbers under which these contents were told as current; those that never were are left out.
    func toldNumbers(
        of digests: [ResourceID: SHA256Digest], of package: PackageID, on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> [ResourceID: Int64]
    /// The sequence of a package's latest event; 0 where it has none.
    func latestEvent(of package: PackageID, in app: AppID) async throws(PlatformError) -> Int64
    /// The lists of a package that were recorded last.
    func listHistory(of package: PackageID, in app: AppID) async throws(PlatformError) -> ListHistory
}

/// The numbers of the resources of a current and of a coming version.
package struct ResourceNumbers: Sendable, Equatable {
    package let current: [ResourceID: Int64]
    package let coming: [ResourceID: Int64]

    package init(current: [ResourceID: Int64], coming: [ResourceID: Int64]) {
        self.current = current
        self.coming = coming
    }
}
