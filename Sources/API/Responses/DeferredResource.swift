import Execution
import HTTP
import Synchronization

/// A resource that is prepared at the first request for it, by a thread for such work.
final class DeferredResource: Sendable {
    private let work: WorkExecutor
    private let prepare: @Sendable () -> PreparedResource
    private let prepared = Mutex<PreparedResource?>(nil)

    /// - Parameter prepare: Prepares the resource, in milliseconds. Each request that arrives before one has ended calls it.
    init(on work: WorkExecutor, _ prepare: @escaping @Sendable () -> PreparedResource) {
        self.work = work
        self.prepare = prepare
    }

    func respond(to head: RequestHead) -> Disposition {
        if let resource = prepared.withLock(\.self) { return .prepared(resource.respond(to: head)) }
        return .handle(bodyLimit: 0) { [self] request in
            let resource = await work.run { [prepare] in prepare() }
            prepared.withLock { $0 = resource }
            return resource.respond(to: request.head).response
        }
    }
}
