/// Glushkov's automaton of a pattern: its states, one for each set of characters and edge, and the transitions between
/// them.
///
/// Two transitions between the same states count twice. The states of a repetition are consecutive, and apart from
/// repetitions each state leads only to later ones.
struct URLPatternAutomaton {
    /// The limit on states, with counted repetitions expanded.
    static let maximumStates = 2048
    /// The count above which a repetition costs as much as an unlimited one.
    static let maximumCopies = 16

    struct State {
        /// The characters; `nil` for `^` and `$`.
        let characters: PatternCharacters?
        /// The index in the pattern.
        let position: Int
    }

    /// Consecutive states that an unlimited repetition returns to.
    struct Loop {
        let states: Range<Int>
        /// The index of the quantifier in the pattern.
        let position: Int
    }

    private(set) var states: [State] = []
    /// The transitions by state; a value counts them, with 2 for more than one.
    private(set) var next: [[Int: Int]] = []
    /// The outermost loops, in order.
    private(set) var loops: [Loop] = []
    /// The distinct lookaheads, each once even if the group around it is expanded.
    private(set) var lookaheads: [PatternNode] = []
    private var knownLookaheads: Set<Int> = []
    private(set) var first: [Int: Int] = [:]
    private(set) var last: [Int: Int] = [:]
    private(set) var budget: PatternBudget

    /// Throws if a part that may be empty is repeated, or if the pattern has too many states or exceeds the budget.
    init(_ node: PatternNode, within budget: PatternBudget) throws(URLPattern.Fault) {
        self.budget = budget
        let whole = try add(node)
        (first, last) = (whole.first, whole.last)
    }

    /// The first and last states of a part.
    private struct Part {
        /// The number of ways in which the part matches nothing, with 2 for more than one.
        var empties = 0
        var first: [Int: Int] = [:]
        var last: [Int: Int] = [:]

        static let empty = Part(empties: 1)
    }

    private mutating func add(_ node: PatternNode) throws(URLPattern.Fault) -> Part {
        try count(1)
        switch node {
        case .characters(let characters, let position):
            return try add(State(characters: characters, position: position))
        case .edge(let position): return try add(State(characters: nil, position: position))
        case .lookahead(let inner, let position):
            if knownLookaheads.insert(position).inserted { lookaheads.append(inner) }
            return .empty
        case .sequence(let nodes):
            var whole = Part.empty
            for node in nodes { try join(&whole, try add(node)) }
            return whole
        case .choice(let nodes):
            var whole = Part()
            for node in nodes { try join(&whole, or: try add(node)) }
            return whole
        case .repeated(let inner, let least, let most, let position):
            return try add(inner, least: least, most: most, at: position)
        }
    }

    private mutating func add(_ state: State) throws(URLPattern.Fault) -> Part {
        guard states.count < Self.maximumStates else { throw Self.tooLarge(at: state.position) }
        states.append(state)
        next.append([:])
        let here = [states.count - 1: 1]
        return Part(first: here, last: here)
    }

    private mutating func add(
        _ inner: PatternNode, least: Int, most: Int?, at position: Int
    ) throws(URLPattern.Fault) -> Part {
        guard most != 0 else { return .empty }
        let isLoop = most.map { $0 > Self.maximumCopies && $0 > least } ?? true
        let copies = min(least, Self.maximumCopies)
        var whole = Part.empty
        for _ in 0..<(isLoop ? max(0, copies - 1) : copies) { try join(&whole, try add(inner)) }
        if isLoop {
            var loop = try addLoop(inner, at: position)
            if least == 0 { loop.empties = min(2, loop.empties + 1) }
            try join(&whole, loop)
        } else if let most, most > least {
            try join(&whole, try addOptional(inner, upTo: most - least))
        }
        guard whole.empties == (least == 0 ? 1 : 0) || most == 1 else {
            throw URLPattern.Fault(
                "the repeated part may match the empty text; write '(?:a)*' instead of '(?:a?)*'", at: position)
        }
        return whole
    }

    /// Adds `(x(x(x)?)?)?`, which matches each count in exactly one way.
    private mutating func addOptional(_ inner: PatternNode, upTo count: Int) throws(URLPattern.Fault) -> Part {
        var whole = try add(inner)
        if count > 1 { try join(&whole, try addOptional(inner, upTo: count - 1)) }
        whole.empties = min(2, whole.empties + 1)
        return whole
    }

    private mutating func addLoop(_ inner: PatternNode, at position: Int) throws(URLPattern.Fault) -> Part {
        let start = states.count
        let part = try add(inner)
        try connect(part.last, to: part.first)
        while let last = loops.last, last.states.lowerBound >= start { loops.removeLast() }
        loops.append(Loop(states: start..<states.count, position: position))
        return part
    }

    private mutating func join(_ left: inout Part, _ right: Part) throws(URLPattern.Fault) {
        try connect(left.last, to: right.first)
        try add(right.first, times: left.empties, to: &left.first)
        switch right.empties {
        case 0: left.last = right.last
        case 1: try add(right.last, times: 1, to: &left.last)
        default:
            var last = right.last
            try add(left.last, times: right.empties, to: &last)
            left.last = last
        }
        left.empties = min(2, left.empties * right.empties)
    }

    private mutating func join(_ left: inout Part, or right: Part) throws(URLPattern.Fault) {
        try add(right.first, times: 1, to: &left.first)
        try add(right.last, times: 1, to: &left.last)
        left.empties = min(2, left.empties + right.empties)
    }

    private mutating func add(
        _ more: [Int: Int], times ways: Int, to sum: inout [Int: Int]
    ) throws(URLPattern.Fault) {
        guard ways > 0 else { return }
        try count(more.count)
        Self.merge(more, times: ways, into: &sum)
    }

    private static func merge(_ more: [Int: Int], times ways: Int, into sum: inout [Int: Int]) {
        for (state, number) in more { sum[state] = min(2, sum[state, default: 0] + number * ways) }
    }

    private mutating func connect(_ last: [Int: Int], to first: [Int: Int]) throws(URLPattern.Fault) {
        try count(last.count * first.count)
        guard !first.isEmpty else { return }
        for (state, ways) in last { Self.merge(first, times: ways, into: &next[state]) }
    }

    private mutating func count(_ steps: Int) throws(URLPattern.Fault) {
        try budget.build(steps, at: states.last?.position ?? 0)
    }

    static func tooLarge(at position: Int) -> URLPattern.Fault {
        URLPattern.Fault(
            "its counts and optional parts make it too large; use fewer of them", at: position)
    }
}
