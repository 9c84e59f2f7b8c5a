/// The places of a pattern, and which one may match after which: Glushkov's automaton.
///
/// Two ways to go from one place to another count twice. The places of a repetition are neighbours, and but for repetitions
/// each place leads to later ones alone.
struct URLPatternAutomaton {
    /// Places at most, counted repetitions written out.
    static let maximumPlaces = 2048
    /// Pairs of places that follow each other at most.
    static let maximumTransitions = 16_384
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
    private(set) var lookaheads: [PatternNode] = []
    private(set) var first: [Int: Int] = [:]
    private(set) var last: [Int: Int] = [:]
    private var steps = 0

    /// Throws where a part that may be empty is repeated, or the pattern has too many places.
    init(_ node: PatternNode) throws(URLPattern.Fault) {
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
        switch node {
        case .characters(let characters, let position):
            return try add(Place(characters: characters, position: position))
        case .edge(let position): return try add(Place(characters: nil, position: position))
        case .lookahead(let inner):
            lookaheads.append(inner)
            return .empty
        case .sequence(let nodes):
            var whole = Part.empty
            for node in nodes { whole = try join(whole, try add(node)) }
            return whole
        case .choice(let nodes):
            var whole = Part()
            for node in nodes { whole = Self.either(whole, try add(node)) }
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
        for _ in 0..<(isLoop ? max(0, copies - 1) : copies) { whole = try join(whole, try add(inner)) }
        if isLoop {
            var loop = try addLoop(inner, at: position)
            if least == 0 { loop.empties = min(2, loop.empties + 1) }
            whole = try join(whole, loop)
        } else if let most, most > least {
            whole = try join(whole, try addOptional(inner, upTo: most - least))
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
        if count > 1 { whole = try join(whole, try addOptional(inner, upTo: count - 1)) }
        whole.empties = min(2, whole.empties + 1)
        return whole
    }

    private mutating func addLoop(_ inner: PatternNode, at position: Int) throws(URLPattern.Fault) -> Part {
        let start = places.count
        let part = try add(inner)
        try connect(part.last, to: part.first)
        loops.removeAll { $0.places.lowerBound >= start }
        loops.append(Loop(places: start..<places.count, position: position))
        return part
    }

    private mutating func join(_ left: Part, _ right: Part) throws(URLPattern.Fault) -> Part {
        try connect(left.last, to: right.first)
        return Part(
            empties: min(2, left.empties * right.empties),
            first: Self.add(right.first, times: left.empties, to: left.first),
            last: Self.add(left.last, times: right.empties, to: right.last))
    }

    private static func either(_ left: Part, _ right: Part) -> Part {
        Part(
            empties: min(2, left.empties + right.empties), first: add(right.first, times: 1, to: left.first),
            last: add(right.last, times: 1, to: left.last))
    }

    private static func add(_ more: [Int: Int], times ways: Int, to sum: [Int: Int]) -> [Int: Int] {
        ways == 0 ? sum : sum.merging(more.mapValues { min(2, $0 * ways) }) { min(2, $0 + $1) }
    }

    private mutating func connect(_ last: [Int: Int], to first: [Int: Int]) throws(URLPattern.Fault) {
        steps += last.count * first.count
        guard steps <= Self.maximumTransitions else { throw Self.tooLarge(at: places.last?.position ?? 0) }
        for (place, ways) in last { next[place] = Self.add(first, times: ways, to: next[place]) }
    }

    private static func tooLarge(at position: Int) -> URLPattern.Fault {
        URLPattern.Fault(
            "with its counts and optional parts written out it is too large: use fewer of them", at: position)
    }
}
