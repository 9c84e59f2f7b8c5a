package import Execution

/// The thread pools for requests that need no token, which publishing must not delay.
package struct RequestPools: Sendable {
    /// The pool that decides on `/config` documents for devices and makes them.
    package let config: WorkExecutor
    /// The pool that compresses plain `/config` documents.
    package let coding: WorkExecutor
    /// The pool that compresses all other `/config` documents, of which one client can request many.
    package let variants: WorkExecutor
    /// The pool that parses long bodies of `/report`.
    package let reports: WorkExecutor
    /// The pool that fetches blobs which are not on the local disk; it has ``BlobFetcher/width`` threads.
    package let blobs: WorkExecutor
    /// Creates the pool of a dialect's endpoint, by the name of its thread.
    package let makeDialectPool: @Sendable (_ label: String) -> WorkExecutor

    package init(
        config: WorkExecutor, coding: WorkExecutor, variants: WorkExecutor, reports: WorkExecutor,
        blobs: WorkExecutor, makeDialectPool: @escaping @Sendable (_ label: String) -> WorkExecutor
    ) {
        self.config = config
        self.coding = coding
        self.variants = variants
        self.reports = reports
        self.blobs = blobs
        self.makeDialectPool = makeDialectPool
    }
}
