/// Reads a regular expression from front to back and refuses what engines read in different ways.
struct URLPatternReader {
    /// Groups within each other.
    static let maximumDepth = 16
    /// What a counted repetition may say.
    static let maximumCount = 1000

    private let scalars: [Unicode.Scalar]
    private var position = 0
    /// Whether each open group may be repeated once it is closed, the outermost first.
    private var groups: [Bool] = []
    /// Whether what was read last may be repeated.
    private var isRepeatable = false

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func readAll() throws(URLPattern.Fault) {
        while let scalar = next {
            position += 1
            switch scalar {
            case "(": try openGroup()
            case ")": try closeGroup()
            case "[": try readClass()
            case "\\": isRepeatable = try readEscape()
            case "*", "+", "?": try readRepetition("'\(scalar)'")
            case "{": try readCount()
            case "^", "$", "|": isRepeatable = false
            case "]", "}": throw fault("'\(scalar)' stands alone: write '\\\(scalar)'")
            default: try readPlain(scalar)
            }
        }
        guard groups.isEmpty else { throw fault("a group is not closed") }
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ text: String) -> Bool {
        let wanted = text.unicodeScalars
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func readPlain(_ scalar: Unicode.Scalar) throws(URLPattern.Fault) {
        guard scalar.value >= 0x20, scalar != "\u{7F}" else { throw fault("a control character") }
        isRepeatable = true
    }

    private mutating func openGroup() throws(URLPattern.Fault) {
        guard groups.count < Self.maximumDepth else {
            throw fault("more than \(Self.maximumDepth) groups within each other")
        }
        if next == "?" {
            if take("?:") {
                groups.append(true)
            } else if take("?=") || take("?!") {
                groups.append(false)
            } else {
                throw fault("of the groups with '(?', only '(?:', '(?=' and '(?!' are the same to all engines")
            }
        } else {
            groups.append(true)
        }
        isRepeatable = false
    }

    private mutating func closeGroup() throws(URLPattern.Fault) {
        guard let group = groups.popLast() else { throw fault("')' closes no group: write '\\)'") }
        isRepeatable = group
    }

    private mutating func readRepetition(_ shown: String) throws(URLPattern.Fault) {
        guard isRepeatable else { throw fault("\(shown) has nothing before it that can be repeated") }
        // As few as possible.
        _ = take("?")
        isRepeatable = false
    }

    private mutating func readCount() throws(URLPattern.Fault) {
        guard let least = readNumber() else { throw fault("'{' begins no count: write '\\{'") }
        var most = least
        if take(",") { most = readNumber() ?? Self.maximumCount }
        guard take("}"), least <= most, most <= Self.maximumCount else {
            throw fault("a count is {n}, {n,} or {n,m}, with n up to m and \(Self.maximumCount) at most")
        }
        try readRepetition("a count")
    }

    /// Stops at a number that is too large.
    private mutating func readNumber() -> Int? {
        var number: Int?
        while let scalar = next, ("0"..."9").contains(scalar), (number ?? 0) <= Self.maximumCount {
            number = (number ?? 0) * 10 + Int(scalar.value - 0x30)
            position += 1
        }
        return number
    }

    private mutating func readClass() throws(URLPattern.Fault) {
        _ = take("^")
        var isEmpty = true
        while let scalar = next, scalar != "]" {
            let low = try readMember()
            isEmpty = false
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else { continue }
            position += 1
            guard next != "-" else { throw fault("'--' within '[…]': write '\\-'") }
            let high = try readMember()
            guard let low, let high, low.value <= high.value else {
                throw fault("a range in '[…]' goes from a lower to a higher character")
            }
        }
        guard !isEmpty, take("]") else { throw fault("'[' begins no class that is closed and holds something") }
        isRepeatable = true
    }

    /// One character of a class; `nil` for what stands for several, or is not told apart here.
    private mutating func readMember() throws(URLPattern.Fault) -> Unicode.Scalar? {
        guard let scalar = next else { throw fault("'[' is not closed") }
        position += 1
        switch scalar {
        case "\\":
            let escaped = next
            guard try readEscape() else { throw fault("'\\b' and '\\B' mean other things within '[…]'") }
            return escaped.flatMap { IdentifierGrammar.isAlphanumeric(UInt8(truncatingIfNeeded: $0.value)) ? nil : $0 }
        case "[": throw fault("'[' within '[…]': write '\\['")
        // Some engines take these twice for an operation on classes.
        case "&", "-", "~":
            guard next != scalar else { throw fault("'\(scalar)\(scalar)' within '[…]': write '\\\(scalar)'") }
            return scalar
        default:
            try readPlain(scalar)
            return scalar
        }
    }

    /// Whether it stands for a character.
    private mutating func readEscape() throws(URLPattern.Fault) -> Bool {
        guard let scalar = next else { throw fault("'\\' at the end") }
        position += 1
        switch scalar {
        case "b", "B": return false
        case "d", "D", "w", "W", "s", "S", "t", "n", "r", "f": return true
        case "x": try readHex(2)
        case "u": try readHex(4)
        default:
            guard scalar.isASCII, scalar.value > 0x20, scalar.value < 0x7F,
                !IdentifierGrammar.isAlphanumeric(UInt8(scalar.value)), scalar != "_"
            else { throw fault("'\\\(scalar)' is not the same to all engines") }
        }
        return true
    }

    private mutating func readHex(_ count: Int) throws(URLPattern.Fault) {
        for _ in 0..<count {
            guard let scalar = next, scalar.isASCII, IdentifierGrammar.isHexDigit(UInt8(scalar.value)) else {
                throw fault("'\\x' takes 2 hex digits, and '\\u' 4")
            }
            position += 1
        }
    }

    private func fault(_ reason: String) -> URLPattern.Fault {
        URLPattern.Fault(reason, at: max(0, position - 1))
    }
}
