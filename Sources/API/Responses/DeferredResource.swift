import Execution
import HTTP
import Synchronization

/// A resource that the first request for it makes, outside the event loop.
final class DeferredResource: Sendable {
    private let work: WorkExecutor
    private let make: @Sendable () -> PreparedResource
    private let made = Mutex<PreparedResource?>(nil)

    /// - Parameter make: Makes the resource, also a second time if two requests come first; takes milliseconds.
    init(on work: WorkExecutor, _ make: @escaping @Sendable () -> PreparedResource) {
        self.work = work
        self.make = make
    }

    func respond(to head: RequestHead) -> Disposition {
        if let resource = made.withLock(\.self) { return .prepared(resource.respond(to: head)) }
        return .handle(bodyLimit: 0) { [self] request in
            let resource = await work.run { [make] in make() }
            made.withLock { $0 = resource }
            return resource.respond(to: request.head).response
        }
    }
}
