/// The budget of steps for checking the cost of patterns (decision 0052).
///
/// A step visits a part of a pattern, a connection between two positions, or a pair of positions, and takes about a
/// microsecond.
package struct PatternBudget: Sendable {
    /// The steps for all patterns that are checked together: the `matchUrl` of all rules of a package or an upload.
    package static let maximumSteps = 400_000
    /// The steps that build the automata of one pattern, including its lookaheads.
    static let maximumBuildingSteps = 32_768
    /// The steps that follow the transitions of one pattern's automata.
    static let maximumSearchSteps = 10_000

    private var all = 0
    private var building = 0
    private var search = 0

    package init() {}

    /// Starts the budget of the next pattern.
    mutating func startPattern() { (building, search) = (0, 0) }

    /// - Parameter position: The position in the pattern, for the error message.
    mutating func build(_ steps: Int, at position: Int) throws(URLPattern.Fault) {
        building += steps
        guard building <= Self.maximumBuildingSteps else { throw URLPatternAutomaton.tooLarge(at: position) }
        try spend(steps)
    }

    mutating func search(_ steps: Int) throws(URLPattern.Fault) {
        search += steps
        guard search <= Self.maximumSearchSteps else {
            throw URLPattern.Fault("it has too many parts that may match the same text; use fewer", at: 0)
        }
        try spend(steps)
    }

    private mutating func spend(_ steps: Int) throws(URLPattern.Fault) {
        all += steps
        guard all <= Self.maximumSteps else {
            throw URLPattern.Fault(
                "the patterns of all rules up to this one take too long to check; use fewer or simpler patterns", at: 0)
        }
    }
}
