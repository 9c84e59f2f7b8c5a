/// The deadlines of one exchange, by its phase and the bytes transferred.
struct ExchangePace {
    /// The phase; the raw value describes it in an error about a timeout.
    enum Phase: String {
        /// The connection phase, whose deadline libcurl enforces.
        case connecting
        case sending
        case waiting = "waiting for the response"
        case receiving = "receiving the response"
    }

    private let timeouts: TransportTimeouts
    private let responseTimeout: Duration
    private var phase = Phase.connecting
    private var moved = 0
    private var since = ContinuousClock.now

    init(_ timeouts: TransportTimeouts, response: Duration?) {
        self.timeouts = timeouts
        responseTimeout = response ?? timeouts.response
    }

    /// Returns how long the exchange may continue without a further byte, or without the response's head while it waits
    /// for that.
    mutating func limit(of phase: Phase, moved: Int, at now: ContinuousClock.Instant) -> Duration {
        if phase != self.phase || moved != self.moved {
            // The head has a deadline as a whole, so its bytes do not extend it.
            if phase != self.phase || phase != .waiting { since = now }
            (self.phase, self.moved) = (phase, moved)
        }
        return switch phase {
        case .connecting: timeouts.connect + timeouts.idle
        case .sending, .receiving: timeouts.idle - (now - since)
        case .waiting: responseTimeout - (now - since)
        }
    }
}
