import Ground

/// A single-pass parser of regular expressions that rejects syntax that engines interpret differently.
struct URLPatternReader {
    /// The limit on nested groups.
    static let maximumDepth = 16
    /// The limit on the count of a repetition.
    static let maximumCount = 1000

    private let scalars: [Unicode.Scalar]
    private var position = 0
    /// The open groups, outermost first; the first one is the whole pattern.
    private var groups = [Group()]
    /// Whether a quantifier may follow.
    private var isRepeatable = false

    private struct Group {
        var isLookahead = false
        /// The index of the `(` in the pattern.
        var position = 0
        var alternatives: [PatternNode] = []
        var sequence: [PatternNode] = []

        var node: PatternNode {
            alternatives.isEmpty ? .sequence(sequence) : .choice(alternatives + [.sequence(sequence)])
        }
    }

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func readAll() throws(URLPattern.Fault) -> PatternNode {
        while let scalar = next {
            position += 1
            switch scalar {
            case "(": try openGroup()
            case ")": try closeGroup()
            case "[": try readClass()
            case "\\": append(try readEscape())
            case "*": try readRepetition("'*'", least: 0, most: nil, at: position - 1)
            case "+": try readRepetition("'+'", least: 1, most: nil, at: position - 1)
            case "?": try readRepetition("'?'", least: 0, most: 1, at: position - 1)
            case "{": try readCount()
            case "^", "$": append(.edge(at: position - 1), isRepeatable: false)
            case "|":
                groups[groups.count - 1].alternatives.append(.sequence(groups[groups.count - 1].sequence))
                groups[groups.count - 1].sequence = []
                isRepeatable = false
            case "]", "}": throw fault("'\(scalar)' has no counterpart; write '\\\(scalar)'")
            default:
                try checkPlain(scalar)
                append(scalar == "." ? .any : PatternCharacters(scalar: scalar))
            }
        }
        guard groups.count == 1 else { throw fault("a group is not closed") }
        return groups[0].node
    }

    private mutating func append(_ node: PatternNode, isRepeatable: Bool = true) {
        groups[groups.count - 1].sequence.append(node)
        self.isRepeatable = isRepeatable
    }

    /// - Parameter characters: The characters; `nil` for an assertion.
    private mutating func append(_ characters: PatternCharacters?) {
        if let characters { return append(.characters(characters, at: position - 1)) }
        isRepeatable = false
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ text: String) -> Bool {
        let wanted = text.unicodeScalars
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private func checkPlain(_ scalar: Unicode.Scalar) throws(URLPattern.Fault) {
        guard scalar.value >= 0x20, scalar != "\u{7F}" else { throw fault("it contains a control character") }
    }

    private mutating func openGroup() throws(URLPattern.Fault) {
        guard groups.count <= Self.maximumDepth else {
            throw fault("it has more than \(Self.maximumDepth) nested groups")
        }
        let start = position - 1
        if next == "?" {
            if take("?:") {
                groups.append(Group())
            } else if take("?=") || take("?!") {
                groups.append(Group(isLookahead: true, position: start))
            } else {
                throw fault("engines differ in groups with '(?' other than '(?:', '(?=' and '(?!'")
            }
        } else {
            groups.append(Group())
        }
        isRepeatable = false
    }

    private mutating func closeGroup() throws(URLPattern.Fault) {
        guard groups.count > 1, let group = groups.popLast() else { throw fault("')' closes no group; write '\\)'") }
        append(
            group.isLookahead ? .lookahead(group.node, at: group.position) : group.node,
            isRepeatable: !group.isLookahead)
    }

    private mutating func readRepetition(
        _ shown: String, least: Int, most: Int?, at start: Int
    ) throws(URLPattern.Fault) {
        guard isRepeatable, let node = groups[groups.count - 1].sequence.popLast() else {
            throw fault("nothing before \(shown) can be repeated")
        }
        // A lazy quantifier matches as few as possible.
        _ = take("?")
        append(.repeated(node, least: least, most: most, at: start), isRepeatable: false)
    }

    private mutating func readCount() throws(URLPattern.Fault) {
        let start = position - 1
        guard let least = readNumber() else { throw fault("'{' begins no count; write '\\{'") }
        var most: Int? = least
        if take(",") { most = readNumber() }
        guard take("}"), least <= most ?? least, max(least, most ?? 0) <= Self.maximumCount else {
            throw fault("a count must be {n}, {n,} or {n,m}, with n ≤ m ≤ \(Self.maximumCount)")
        }
        try readRepetition("a count", least: least, most: most, at: start)
    }

    /// Parses a number; stops when it is too large.
    private mutating func readNumber() -> Int? {
        var number: Int?
        while let scalar = next, ("0"..."9").contains(scalar), (number ?? 0) <= Self.maximumCount {
            number = (number ?? 0) * 10 + Int(scalar.value - 0x30)
            position += 1
        }
        return number
    }

    private mutating func readClass() throws(URLPattern.Fault) {
        let isComplement = take("^")
        var isEmpty = true
        var characters = PatternCharacters()
        while let scalar = next, scalar != "]" {
            let low = try readMember(of: &characters)
            isEmpty = false
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else { continue }
            position += 1
            guard next != "-" else { throw fault("'--' in '[…]' is ambiguous; write '\\-'") }
            let high = try readMember(of: &characters)
            guard let low, let high, low.value <= high.value else {
                throw fault("a range in '[…]' must go from a lower to a higher character")
            }
            characters.formUnion(PatternCharacters(low...high))
        }
        guard !isEmpty, take("]") else { throw fault("the class that '[' begins is empty or not closed") }
        append(isComplement ? characters.inverted : characters)
    }

    /// Reads one member of a class; returns `nil` for a member that cannot begin a range.
    private mutating func readMember(
        of characters: inout PatternCharacters
    ) throws(URLPattern.Fault) -> Unicode.Scalar? {
        guard let scalar = next else { throw fault("'[' is not closed") }
        position += 1
        switch scalar {
        case "\\":
            let escaped = next
            guard let member = try readEscape() else {
                throw fault("'\\b' and '\\B' have another meaning in '[…]'")
            }
            characters.formUnion(member)
            return escaped.flatMap { ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: $0.value)) ? nil : $0 }
        case "[": throw fault("'[' in '[…]' is ambiguous; write '\\['")
        // Some engines read these characters, doubled, as set operators.
        case "&", "-", "~":
            guard next != scalar else { throw fault("'\(scalar)\(scalar)' in '[…]' is ambiguous; write '\\\(scalar)'") }
            characters.formUnion(PatternCharacters(scalar: scalar))
            return scalar
        default:
            try checkPlain(scalar)
            characters.formUnion(PatternCharacters(scalar: scalar))
            return scalar
        }
    }

    /// Reads an escape; returns `nil` for an assertion.
    private mutating func readEscape() throws(URLPattern.Fault) -> PatternCharacters? {
        guard let scalar = next else { throw fault("it ends with '\\'") }
        position += 1
        switch scalar {
        case "b", "B": return nil
        case "d", "D", "w", "W", "s", "S": return PatternCharacters(classEscape: scalar)
        case "t": return PatternCharacters(scalar: "\t")
        case "n": return PatternCharacters(scalar: "\n")
        case "r": return PatternCharacters(scalar: "\r")
        case "f": return PatternCharacters(scalar: "\u{C}")
        case "x": return try readHex(2)
        case "u": return try readHex(4)
        default:
            guard scalar.isASCII, scalar.value > 0x20, scalar.value < 0x7F,
                !ASCII.isAlphanumeric(UInt8(scalar.value)), scalar != "_"
            else { throw fault("engines differ in '\\\(scalar)'") }
        }
        return PatternCharacters(scalar: scalar)
    }

    private mutating func readHex(_ count: Int) throws(URLPattern.Fault) -> PatternCharacters {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let scalar = next, scalar.isASCII, let digit = ASCII.hexadecimal(UInt8(scalar.value)) else {
                throw fault("'\\x' requires 2 hex digits, and '\\u' 4")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        // Half of a surrogate pair counts as beyond ASCII like any other character.
        return PatternCharacters(scalar: Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    private func fault(_ reason: String) -> URLPattern.Fault {
        URLPattern.Fault(reason, at: max(0, position - 1))
    }
}
