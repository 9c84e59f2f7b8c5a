/// The work that the cost check of patterns may take, in steps (decision 0052).
///
/// A step visits a part of a pattern, a connection between two places, or a pair of places; it takes about a microsecond.
package struct PatternBudget: Sendable {
    /// Steps for all patterns that are checked together: the `matchUrl` of all rules of a package or an upload.
    package static let maximumSteps = 400_000
    /// Steps that build the automata of one pattern, its lookaheads included.
    static let maximumBuildingSteps = 32_768
    /// Steps that follow the ways through the automata of one pattern.
    static let maximumSearchSteps = 10_000

    private var all = 0
    private var building = 0
    private var search = 0

    package init() {}

    /// Starts the budget of the next pattern.
    mutating func startPattern() { (building, search) = (0, 0) }

    /// - Parameter position: In the pattern, for the fault.
    mutating func build(_ steps: Int, at position: Int) throws(URLPattern.Fault) {
        building += steps
        guard building <= Self.maximumBuildingSteps else { throw URLPatternAutomaton.tooLarge(at: position) }
        try spend(steps)
    }

    mutating func search(_ steps: Int) throws(URLPattern.Fault) {
        search += steps
        guard search <= Self.maximumSearchSteps else {
            throw URLPattern.Fault("it has too many parts that may match the same text: use fewer", at: 0)
        }
        try spend(steps)
    }

    private mutating func spend(_ steps: Int) throws(URLPattern.Fault) {
        all += steps
        guard all <= Self.maximumSteps else {
            throw URLPattern.Fault(
                "the patterns of all rules up to this one take too long to check: use fewer or simpler patterns", at: 0)
        }
    }
}
