package import Ground

/// The conditions that the store checks in every transaction of a task, so that a node that was stopped or cut off
/// commits nothing on outdated grounds (decision 0064).
package enum TransactionFence {
    /// The number of the session with the database that has the lock under which the task works.
    @TaskLocal package static var session: Int?
    /// The lease under which the task works.
    @TaskLocal package static var lease: LeaseToken?
    /// The store's time before which the task had not stored any blob: blobs that were removed since then may be
    /// missing.
    @TaskLocal package static var storedSince: Timestamp?
}
