/// A rule that suspends requests to a server that fails repeatedly.
///
/// Closed, it admits all requests. After ``failureLimit`` consecutive failures it opens and admits none for
/// ``openTime``. Then it is half open and admits one request, whose outcome closes it or opens it again.
struct CircuitBreaker {
    /// The number of consecutive failures that open it.
    static let failureLimit = 8
    /// The time until a request is admitted again.
    static let openTime = Duration.seconds(5)

    private enum State: Equatable {
        case closed(failures: Int)
        case open(until: Duration)
        /// The time at which the admitted request counts as lost.
        case halfOpen(until: Duration)
    }

    private var state = State.closed(failures: 0)

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Returns whether a request may be sent.
    mutating func admits(at now: Duration) -> Bool {
        switch state {
        case .closed: return true
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return false }
            state = .halfOpen(until: now + Self.openTime)
            return true
        }
    }

    /// Records a response of the server; returns whether the breaker was open.
    mutating func succeed() -> Bool {
        defer { state = .closed(failures: 0) }
        return !isClosed
    }

    /// Records a failure; returns whether it opened the closed breaker.
    mutating func fail(at now: Duration) -> Bool {
        guard case .closed(let failures) = state else {
            state = .open(until: now + Self.openTime)
            return false
        }
        guard failures + 1 >= Self.failureLimit else {
            state = .closed(failures: failures + 1)
            return false
        }
        state = .open(until: now + Self.openTime)
        return true
    }
}
