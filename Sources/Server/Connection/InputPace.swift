/// The time spent waiting for a peer since it last sent enough bytes.
struct InputPace {
    private(set) var waited: Duration = .zero
    private var received = 0

    /// Adds bytes that arrived after a wait; resets both counters once there are enough bytes.
    mutating func note(_ count: Int, after wait: Duration, least: Int) {
        waited += wait
        received += count
        guard received >= least else { return }
        self = InputPace()
    }
}
