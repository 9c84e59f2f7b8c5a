/// The deadlines of one exchange, from its phase and from the bytes that it has moved.
struct ExchangePace {
    /// The raw value says in an error what the peer was too slow for.
    enum Phase: String {
        /// libcurl keeps this deadline by itself.
        case connecting
        case sending
        case waiting = "waiting for its answer"
        case receiving = "receiving its answer"
    }

    private let timeouts: TransportTimeouts
    private let answer: Duration
    private var phase = Phase.connecting
    private var moved = 0
    private var since = ContinuousClock.now

    init(_ timeouts: TransportTimeouts, answer: Duration?) {
        self.timeouts = timeouts
        self.answer = answer ?? timeouts.answer
    }

    /// Returns how long the exchange may go on without another byte, or without its answer's head while it waits for that.
    mutating func limit(of phase: Phase, moved: Int, at now: ContinuousClock.Instant) -> Duration {
        if phase != self.phase || moved != self.moved {
            // Bytes do not count while the head is awaited: it has a deadline as a whole.
            if phase != self.phase || phase != .waiting { since = now }
            (self.phase, self.moved) = (phase, moved)
        }
        return switch phase {
        case .connecting: timeouts.connect + timeouts.idle
        case .sending, .receiving: timeouts.idle - (now - since)
        case .waiting: answer - (now - since)
        }
    }
}
