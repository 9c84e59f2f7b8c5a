/// The counters of a server since its start, and its current state.
package struct Traffic: Sendable, Equatable {
    /// The responses of one route.
    package struct Route: Sendable, Equatable {
        package private(set) var responses: [StatusCount] = []
        package private(set) var durations = DurationHistogram()
        /// The bytes of heads and bodies, without the overhead of TLS.
        package private(set) var bytes: UInt64 = 0

        package init() {}
    }

    /// The number of responses with one status.
    package struct StatusCount: Sendable, Equatable {
        package let status: UInt16
        package fileprivate(set) var count: UInt64
    }

    /// The routes, indexed by ``RouteID``.
    package var routes: [Route]
    package var accepted: UInt64 = 0
    /// The connections that were closed at once because their address had too many.
    package var refused: UInt64 = 0
    /// The idle connections that were closed to make room for others.
    package var evicted: UInt64 = 0
    package var handshakes: UInt64 = 0
    /// The handshakes that resumed a session.
    package var resumptions: UInt64 = 0
    package var failedHandshakes: UInt64 = 0
    /// The handshakes after which the kernel encrypts the connection's output.
    package var kernelSeals: UInt64 = 0
    /// The lines of the access log that were dropped because writing was too slow.
    package var droppedLines: UInt64 = 0
    /// The number of open connections, and of those that wait in a long poll.
    package var connections = 0
    package var waiting = 0
    /// The durations of the event loops' iterations; an iteration delays everything else on its loop.
    package var iterations = DurationHistogram()

    package init(routes: Int) {
        self.routes = [Route](repeating: Route(), count: routes)
    }

    package mutating func add(_ other: Traffic) {
        for index in routes.indices { routes[index].add(other.routes[index]) }
        accepted += other.accepted
        refused += other.refused
        evicted += other.evicted
        handshakes += other.handshakes
        resumptions += other.resumptions
        failedHandshakes += other.failedHandshakes
        kernelSeals += other.kernelSeals
        droppedLines += other.droppedLines
        connections += other.connections
        waiting += other.waiting
        iterations.add(other.iterations)
    }
}

extension Traffic.Route {
    /// Counts one response.
    @inline(__always)
    package mutating func note(status: UInt16, bytes: Int, nanoseconds: Int64) {
        durations.note(nanoseconds: nanoseconds)
        self.bytes &+= UInt64(clamping: bytes)
        for index in responses.indices where responses[index].status == status {
            responses[index].count += 1
            return
        }
        responses.append(Traffic.StatusCount(status: status, count: 1))
    }

    fileprivate mutating func add(_ other: Traffic.Route) {
        durations.add(other.durations)
        bytes &+= other.bytes
        for response in other.responses {
            if let index = responses.firstIndex(where: { $0.status == response.status }) {
                responses[index].count += response.count
            } else {
                responses.append(response)
            }
        }
    }
}

/// The source of the counters: a server, or a test.
package protocol TrafficSource: AnyObject, Sendable {
    /// Returns the current counters, summed over all loops.
    func traffic() async -> Traffic
}
