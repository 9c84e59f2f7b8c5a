/// A regular expression as a tree, for computing its cost; lazy and greedy repetitions are equal.
indirect enum PatternNode {
    case characters(PatternCharacters, at: Int)
    /// The assertions `^` and `$`.
    case edge(at: Int)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// The assertions `(?=…)` and `(?!…)`.
    case lookahead(PatternNode, at: Int)
    case repeated(PatternNode, least: Int, most: Int?, at: Int)
}

/// The characters that one position of a pattern matches.
///
/// Engines differ beyond ASCII: all other characters count as one, which a complement always includes.
struct PatternCharacters: Equatable {
    var ascii: UInt128 = 0
    var beyond = false

    /// The characters that `.` matches.
    static let any = Self(scalar: "\n").union(Self(scalar: "\r")).inverted

    init() {}

    init(scalar: Unicode.Scalar) { self.init(scalar...scalar) }

    init(_ range: ClosedRange<Unicode.Scalar>) {
        beyond = range.upperBound.value >= 0x80
        for value in range.lowerBound.value..<max(range.lowerBound.value, min(range.upperBound.value + 1, 0x80)) {
            ascii |= 1 << UInt128(value)
        }
    }

    /// Creates the set of `\d`, `\w`, `\s` or one of their complements.
    init?(classEscape: Unicode.Scalar) {
        let isUpper = ("A"..."Z").contains(classEscape)
        switch classEscape {
        case "d", "D": self.init("0"..."9")
        case "w", "W":
            self.init("0"..."9")
            formUnion(Self("A"..."Z").union(Self("a"..."z")).union(Self(scalar: "_")))
        case "s", "S":
            self.init("\t"..."\r")
            formUnion(Self(scalar: " "))
        default: return nil
        }
        if isUpper { ascii = ~ascii }
        beyond = true
    }

    var inverted: Self {
        var result = self
        result.ascii = ~ascii
        result.beyond = true
        return result
    }

    mutating func formUnion(_ other: Self) {
        ascii |= other.ascii
        beyond = beyond || other.beyond
    }

    func union(_ other: Self) -> Self {
        var result = self
        result.formUnion(other)
        return result
    }

    func intersection(_ other: Self) -> Self {
        var result = self
        result.ascii &= other.ascii
        result.beyond = beyond && other.beyond
        return result
    }

    func overlaps(_ other: Self) -> Bool { ascii & other.ascii != 0 || beyond && other.beyond }
}
