import Domain
import Execution

extension BlobStore {
    /// Passes a new staging to `body`, and discards its uncommitted files when `body` returns or throws.
    ///
    /// Discards on a worker thread, since a staging may hold thousands of files: otherwise the thread that drops the
    /// last reference, possibly an event loop, would remove them.
    func withStaging<Result>(
        on work: WorkExecutor, _ body: (any BlobStaging) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        // A removal after this time concerns the blobs of the staging.
        let start = try await removals?.storeTime()
        let staging = try await work.run { () throws(PlatformError) in try stage() }
        let outcome: Swift.Result<Result, PlatformError> = await TransactionFence.$storedSince.withValue(start) {
            do throws(PlatformError) { return .success(try await body(staging)) } catch { return .failure(error) }
        }
        await work.run { staging.discard() }
        return try outcome.get()
    }
}
