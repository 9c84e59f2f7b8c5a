/// The lock by which several nodes make the changes of an app one after the other (decision 0064).
package protocol ChangeLock: Sendable {
    /// Runs `body` while no other node changes the app.
    ///
    /// The transactions of `body` fail with `storageUnavailable` if the lock was lost with the connection to the
    /// database. Throws `busy` if other nodes hold the lock for 10 seconds.
    ///
    /// - Parameter body: Called with the revision of the app in the store, or with ``AppRevision/none`` if there is no
    ///   such app.
    func withChangesLocked<Result>(
        of app: AppID, _ body: (AppRevision) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result
}
