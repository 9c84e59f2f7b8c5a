import Synchronization

/// The names of all routes, for a route that is added before all of them are known.
final class RouteNames: Sendable {
    private let names = Mutex<[String]>([])

    /// The names by route id; empty until they are set, which happens before the first request.
    var all: [String] { names.withLock { $0 } }

    func set(_ names: [String]) {
        self.names.withLock { $0 = names }
    }
}
