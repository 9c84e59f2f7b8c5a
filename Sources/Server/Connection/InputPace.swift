/// How long a peer was waited for since it last sent enough.
struct InputPace {
    private(set) var waited: Duration = .zero
    private var received = 0

    /// Takes note of bytes that came after a wait; with enough of them the count of both begins again.
    mutating func note(_ count: Int, after wait: Duration, least: Int) {
        waited += wait
        received += count
        guard received >= least else { return }
        self = InputPace()
    }
}
