import Domain
import Execution

extension BlobStore {
    /// Lends a new staging and discards what is not committed when `body` has ended, however it ends.
    ///
    /// On threads for work, since a staging may hold thousands of files: whoever drops the last reference to one that
    /// was not discarded, an event loop perhaps, has to remove them.
    func withStaging<Result>(
        on work: WorkExecutor, _ body: (any BlobStaging) async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        let staging = try await work.run { () throws(PlatformError) in try stage() }
        let outcome: Swift.Result<Result, PlatformError>
        do throws(PlatformError) {
            outcome = .success(try await body(staging))
        } catch {
            outcome = .failure(error)
        }
        await work.run { staging.discard() }
        return try outcome.get()
    }
}
