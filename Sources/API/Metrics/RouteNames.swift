import Synchronization

/// What the routes are called, for a route that is added before all of them are known.
final class RouteNames: Sendable {
    private let names = Mutex<[String]>([])

    /// By the places that decisions name them by; empty until they are set, which is before the first request.
    var all: [String] { names.withLock { $0 } }

    func set(_ names: [String]) {
        self.names.withLock { $0 = names }
    }
}
