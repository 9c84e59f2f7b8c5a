/// The worst-case cost of a pattern in a backtracking engine (decision 0052).
///
/// It depends on the choices between ways to match one text, and on the repetitions that can match the same text.
struct URLPatternCost {
    /// The number of times that two ways of matching one text may part and meet again in sequence; each doubles the
    /// work.
    static let maximumChoices = 4
    /// The highest power of a URL's length by which the work may grow.
    ///
    /// An engine that searches for the pattern's beginning counts as a repetition before it.
    static let maximumExponent = 2

    private let automaton: URLPatternAutomaton
    private var budget: PatternBudget

    /// Throws if the pattern may be too slow on devices, or if the check exceeds the budget.
    static func check(_ node: PatternNode, within budget: inout PatternBudget) throws(URLPattern.Fault) {
        budget.startPattern()
        _ = try exponent(of: node, isAnchored: false, within: &budget)
    }

    private static func exponent(
        of node: PatternNode, isAnchored: Bool, within budget: inout PatternBudget
    ) throws(URLPattern.Fault) -> Int {
        var cost = URLPatternCost(automaton: try URLPatternAutomaton(node, within: budget))
        try cost.checkChoices()
        var inner = 0
        for lookahead in cost.automaton.lookaheads {
            inner = max(inner, try exponent(of: lookahead, isAnchored: true, within: &cost.budget))
        }
        let (exponent, position) = try cost.exponent(isAnchored: isAnchored)
        budget = cost.budget
        guard exponent + inner <= maximumExponent else {
            throw URLPattern.Fault(
                "\(exponent + inner) repetitions may match the same text, which is slow on long URLs; begin with '^', and "
                    + "repeat narrower classes, such as '[^/]*' instead of '.*'", at: position)
        }
        return exponent + inner
    }

    private init(automaton: URLPatternAutomaton) {
        self.automaton = automaton
        budget = automaton.budget
    }

    private func overlap(_ left: Int, _ right: Int) -> Bool {
        guard let left = automaton.states[left].characters, let right = automaton.states[right].characters else {
            return false
        }
        return left.overlaps(right)
    }

    // MARK: Choices

    /// Two positions that ways of matching one text may have reached.
    private struct Pair: Hashable {
        let left: Int
        let right: Int

        init(_ one: Int, _ other: Int) { (left, right) = (min(one, other), max(one, other)) }

        var isMeeting: Bool { left == right }
    }

    /// Counts for each pair of positions the choices that may follow, up to one more than allowed.
    private mutating func checkChoices() throws(URLPattern.Fault) {
        var before: [Pair: [(pair: Pair, choices: Int)]] = [:]
        var open = automaton.states.indices.map { Pair($0, $0) }
        var known = Set(open)
        while let pair = open.popLast() {
            let (left, right) = (automaton.next[pair.left], automaton.next[pair.right])
            try budget.search(left.count * right.count)
            for (one, ways) in left {
                for other in right.keys where one == other || overlap(one, other) {
                    let reached = Pair(one, other)
                    let isChoice = reached.isMeeting && (ways > 1 || !pair.isMeeting)
                    before[reached, default: []].append((pair, isChoice ? 1 : 0))
                    if known.insert(reached).inserted { open.append(reached) }
                }
            }
        }
        var choices: [Pair: Int] = [:]
        open = Array(known)
        while let pair = open.popLast() {
            let after = choices[pair, default: 0]
            for (earlier, more) in before[pair] ?? []
            where choices[earlier, default: 0] < min(after + more, Self.maximumChoices + 1) {
                choices[earlier] = min(after + more, Self.maximumChoices + 1)
                open.append(earlier)
            }
        }
        guard let state = choices.filter({ $0.key.isMeeting && $0.value > Self.maximumChoices }).keys.map(\.left).max()
        else { return }
        if let loop = automaton.loops.first(where: { $0.states.contains(state) }) {
            throw URLPattern.Fault(
                "the repeated part may match one text in several ways, which never ends on some URLs; let each repetition "
                    + "begin or end with a character that the rest of it cannot match, such as '(?:[^/]+/)*'",
                at: loop.position)
        }
        throw URLPattern.Fault(
            "more than \(Self.maximumChoices) optional parts or alternatives may match the same text; join them, such as "
                + "'a{0,9}' instead of 'a?a?a?…'", at: automaton.states[state].position)
    }

    // MARK: Repetitions

    /// Returns the power of a URL's length by which the work grows, and the last repetition that adds to it.
    private mutating func exponent(isAnchored: Bool) throws(URLPattern.Fault) -> (Int, position: Int) {
        let loops = automaton.loops.filter { !endsMatch($0) }
        let sets = loops.map(characters)
        // For each loop: the number of further loops that can match the same text, and the last of those.
        var shared = [(Int, position: Int)](repeating: (0, 0), count: loops.count + 1)
        for (index, loop) in loops.enumerated().reversed() {
            shared[index] = try best(
                from: Array(loop.states), matching: sets[index], among: loops[(index + 1)...], sets, shared,
                or: loop.position)
        }
        let whole = try best(
            from: nil, matching: isAnchored ? PatternCharacters() : .any.union(PatternCharacters.any.inverted),
            among: loops[...], sets, shared, or: loops.first?.position ?? 0)
        guard isAnchored else { return (whole.0 + 1, whole.position) }
        return loops.isEmpty ? (0, 0) : (whole.0 + 1, whole.position)
    }

    /// - Parameter start: The positions of a repetition; `nil` for the text before the pattern.
    private mutating func best(
        from start: [Int]?, matching characters: PatternCharacters, among later: ArraySlice<URLPatternAutomaton.Loop>,
        _ sets: [PatternCharacters], _ shared: [(Int, position: Int)], or position: Int
    ) throws(URLPattern.Fault) -> (Int, position: Int) {
        var result = (0, position: position)
        let reachable = try reach(from: start, through: nil)
        for (index, loop) in later.enumerated() where reachable.contains(loop.states.lowerBound) {
            let common = characters.intersection(sets[later.startIndex + index])
            let isShared = try reach(from: start, through: common).contains(where: loop.states.contains)
            let (number, last) = shared[later.startIndex + index]
            if number + (isShared ? 1 : 0) > result.0 {
                result = (number + (isShared ? 1 : 0), isShared && number == 0 ? loop.position : last)
            }
        }
        return result
    }

    /// Returns the positions that follow, reached only by characters of a set if one is given.
    private mutating func reach(
        from start: [Int]?, through set: PatternCharacters?
    ) throws(URLPattern.Fault) -> Set<Int> {
        let (automaton, states) = (automaton, automaton.states)
        func matches(_ state: Int) -> Bool {
            guard let set else { return true }
            return states[state].characters?.overlaps(set) ?? false
        }
        try budget.search(start?.count ?? automaton.first.count)
        var open = start.map { $0.filter(matches) } ?? automaton.first.keys.filter(matches)
        var found = Set(open)
        while let state = open.popLast() {
            try budget.search(automaton.next[state].count)
            for other in automaton.next[state].keys where matches(other) && found.insert(other).inserted {
                open.append(other)
            }
        }
        return found
    }

    private func characters(of loop: URLPatternAutomaton.Loop) -> PatternCharacters {
        loop.states.reduce(into: PatternCharacters()) { sum, state in
            if let characters = automaton.states[state].characters { sum.formUnion(characters) }
        }
    }

    /// Returns whether a loop is a final `.*`, after which no match can fail: URLs have no line breaks.
    private func endsMatch(_ loop: URLPatternAutomaton.Loop) -> Bool {
        guard automaton.lookaheads.isEmpty, loop.states.count == 1, characters(of: loop) == .any else { return false }
        let state = loop.states.lowerBound
        return automaton.last[state] != nil
            || automaton.next[state].keys.contains {
                automaton.states[$0].characters == nil && automaton.last[$0] != nil
            }
    }
}
