import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// The compression of `/config` documents, once for each content, off the event loops.
final class ConfigCoder: Sendable {
    /// The number of documents whose compression requests wait for; past it, a request gets its document uncompressed.
    static let awaitedCodings = 4

    private let cache: ConfigCache
    private let compressor: any TextCompressor
    private let clock: any WallClock
    /// The pool that compresses plain documents.
    private let plain: WorkExecutor
    /// The pool that compresses all other documents.
    private let variants: WorkExecutor
    /// The number of documents that `variants` compresses or has queued.
    private let queued = Mutex(0)

    /// - Parameter cache: The cache that gets the responses with codings.
    init(for cache: ConfigCache, services: Services) {
        self.cache = cache
        compressor = services.compressor
        clock = services.clock
        plain = services.pools.coding
        variants = services.pools.variants
    }

    /// Compresses a document and returns the responses with its codings.
    ///
    /// If many documents wait to be compressed, returns the uncompressed responses; the codings follow later.
    func code(_ responses: ConfigResponses) async -> ConfigResponses {
        guard responses.key.variant != .plain else { return await plain.run { coded(responses) } }
        let isAwaited = queued.withLock { count in
            count += 1
            return count <= Self.awaitedCodings
        }
        let task = Task {
            let compressed = await variants.run { coded(responses) }
            queued.withLock { $0 -= 1 }
            return compressed
        }
        return isAwaited ? await task.value : responses
    }

    /// Compresses the document and returns the responses with all codings.
    ///
    /// Caches them if the document is still current. Blocks the calling thread.
    private func coded(_ responses: ConfigResponses) -> ConfigResponses {
        let body = CodedBody(
            responses.content.body.identity, by: compressor,
            effort: responses.key.variant == .plain ? .best : .quick)
        let content = responses.content.with(body)
        let now = clock.now()
        func withCodings(_ responses: ConfigResponses) -> ConfigResponses {
            ConfigResponses(
                responses.key, view: responses.view, content: content, downloadAfter: responses.downloadAfter, at: now)
        }
        cache.replace(content, under: responses.key, withCodings)
        return withCodings(responses)
    }
}
