/// What a server has done since it started, and what it is doing.
package struct Traffic: Sendable, Equatable {
    /// The answers of one route.
    package struct Route: Sendable, Equatable {
        package private(set) var answers: [Answers] = []
        package private(set) var durations = DurationHistogram()
        /// Heads and bodies, without what TLS adds.
        package private(set) var bytes: UInt64 = 0

        package init() {}
    }

    /// How many answers had a status.
    package struct Answers: Sendable, Equatable {
        package let status: UInt16
        package fileprivate(set) var count: UInt64
    }

    /// By ``RouteID``.
    package var routes: [Route]
    package var accepted: UInt64 = 0
    /// Connections closed at once, because their address has too many.
    package var refused: UInt64 = 0
    /// Idle connections closed to make room for others.
    package var evicted: UInt64 = 0
    package var handshakes: UInt64 = 0
    /// Those of the handshakes that took an earlier session up again.
    package var resumptions: UInt64 = 0
    package var failedHandshakes: UInt64 = 0
    /// Those of the handshakes after which the kernel seals what is sent.
    package var kernelSeals: UInt64 = 0
    /// Lines of the access log that were dropped, because it could not be written fast enough.
    package var droppedLines: UInt64 = 0
    /// Connections that are open, and those of them that wait in a long poll.
    package var connections = 0
    package var waiting = 0
    /// How long the loops' turns took: nothing on a loop goes on while one does.
    package var turns = DurationHistogram()

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
        turns.add(other.turns)
    }
}

extension Traffic.Route {
    /// Takes note of one answer.
    @inline(__always)
    package mutating func note(status: UInt16, bytes: Int, nanoseconds: Int64) {
        durations.note(nanoseconds: nanoseconds)
        self.bytes &+= UInt64(clamping: bytes)
        for index in answers.indices where answers[index].status == status {
            answers[index].count += 1
            return
        }
        answers.append(Traffic.Answers(status: status, count: 1))
    }

    fileprivate mutating func add(_ other: Traffic.Route) {
        durations.add(other.durations)
        bytes &+= other.bytes
        for answer in other.answers {
            if let index = answers.firstIndex(where: { $0.status == answer.status }) {
                answers[index].count += answer.count
            } else {
                answers.append(answer)
            }
        }
    }
}

/// Where the figures come from: a server, or a test.
package protocol TrafficSource: AnyObject, Sendable {
    /// The figures of this moment, over all loops.
    func traffic() async -> Traffic
}
