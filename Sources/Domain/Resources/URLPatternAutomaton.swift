/// The places of a pattern, and which one may match after which: Glushkov's automaton.
///
/// Two ways to go from one place to another count twice. The places of a repetition are neighbours, and but for repetitions
/// each place leads to later ones alone.
struct URLPatternAutomaton {
    /// Places at most, counted repetitions written out.
    static let maximumPlaces = 2048
    /// A count above this one repeats as often as one without a limit, as far as cost goes.
    static let maximumCopies = 16

    struct Place {
        /// `nil` for `^` and `$`.
        let characters: PatternCharacters?
        /// In the pattern.
        let position: Int
    }

    /// Neighbouring places that an unlimited repetition comes back to.
    struct Loop {
        let places: Range<Int>
        /// Of the quantifier, in the pattern.
        let position: Int
    }

    private(set) var places: [Place] = []
    /// By place; the value counts the ways, 2 for more than one.
    private(set) var next: [[Int: Int]] = []
    /// Those in no other loop, in order.
    private(set) var loops: [Loop] = []
    /// Each once, however often the group around it is written out.
    private(set) var lookaheads: [PatternNode] = []
    private var knownLookaheads: Set<Int> = []
    private(set) var first: [Int: Int] = [:]
    private(set) var last: [Int: Int] = [:]
    private(set) var budget: PatternBudget

    /// Throws if a part that may be empty is repeated, or the pattern has too many places or exceeds the budget.
    init(_ node: PatternNode, within budget: PatternBudget) throws(URLPattern.Fault) {
        self.budget = budget
        let whole = try add(node)
        (first, last) = (whole.first, whole.last)
    }

    /// Places that a part begins and ends with.
    private struct Part {
        /// Ways in which the part matches nothing, 2 for more than one.
        var empties = 0
        var first: [Int: Int] = [:]
        var last: [Int: Int] = [:]

        static let empty = Part(empties: 1)
    }

    private mutating func add(_ node: PatternNode) throws(URLPattern.Fault) -> Part {
        try count(1)
        switch node {
        case .characters(let characters, let position):
            return try add(Place(characters: characters, position: position))
        case .edge(let position): return try add(Place(characters: nil, position: position))
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

    private mutating func add(_ place: Place) throws(URLPattern.Fault) -> Part {
        guard places.count < Self.maximumPlaces else { throw Self.tooLarge(at: place.position) }
        places.append(place)
        next.append([:])
        let here = [places.count - 1: 1]
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
                "what is repeated may match nothing: write '(?:a)*' instead of '(?:a?)*'", at: position)
        }
        return whole
    }

    /// `(x(x(x)?)?)?`: in one way for each number of them.
    private mutating func addOptional(_ inner: PatternNode, upTo count: Int) throws(URLPattern.Fault) -> Part {
        var whole = try add(inner)
        if count > 1 { try join(&whole, try addOptional(inner, upTo: count - 1)) }
        whole.empties = min(2, whole.empties + 1)
        return whole
    }

    private mutating func addLoop(_ inner: PatternNode, at position: Int) throws(URLPattern.Fault) -> Part {
        let start = places.count
        let part = try add(inner)
        try connect(part.last, to: part.first)
        while let last = loops.last, last.places.lowerBound >= start { loops.removeLast() }
        loops.append(Loop(places: start..<places.count, position: position))
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
        for (place, number) in more { sum[place] = min(2, sum[place, default: 0] + number * ways) }
    }

    private mutating func connect(_ last: [Int: Int], to first: [Int: Int]) throws(URLPattern.Fault) {
        try count(last.count * first.count)
        guard !first.isEmpty else { return }
        for (place, ways) in last { Self.merge(first, times: ways, into: &next[place]) }
    }

    private mutating func count(_ steps: Int) throws(URLPattern.Fault) {
        try budget.build(steps, at: places.last?.position ?? 0)
    }

    static func tooLarge(at position: Int) -> URLPattern.Fault {
        URLPattern.Fault(
            "with its counts and optional parts written out it is too large: use fewer of them", at: position)
    }
}
