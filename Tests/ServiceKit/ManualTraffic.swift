package import HTTP
import Synchronization

/// Counters that a test sets.
package final class ManualTraffic: TrafficSource {
    private let figures = Mutex(Traffic(routes: 0))

    package init() {}

    package func set(_ traffic: Traffic) {
        figures.withLock { $0 = traffic }
    }

    package func traffic() async -> Traffic { figures.withLock { $0 } }
}
