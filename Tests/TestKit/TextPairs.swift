import Domain

/// A pseudo-random generator with a seed.
package struct Dice: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Pairs of texts, the second of which is the first after deletions, insertions and moves.
package struct TextPairs {
    /// The maximum number of characters of a patch, enough for every pair.
    package static let limit = 20_000
    package let pairs: [(old: String, new: String)]

    package init(seed: UInt64, count: Int = 8) {
        var dice = Dice(seed: seed)
        pairs = (0..<count).map { _ in Self.pair(&dice) }
    }

    private static let alphabets = ["ab", "abcdefgh \n", "function(){};=, \n\t\"%#+é中\u{7FF}\u{800}\u{FFFF}\u{1}\u{0}"]

    private static func pair(_ dice: inout Dice) -> (String, String) {
        let alphabet = Array((alphabets.randomElement(using: &dice) ?? "ab").unicodeScalars)
        func text(_ count: Int, _ dice: inout Dice) -> [Unicode.Scalar] {
            (0..<count).map { _ in alphabet.randomElement(using: &dice) ?? "a" }
        }
        let old = text(Int.random(in: 0...400, using: &dice), &dice)
        var new = old
        for _ in 0..<Int.random(in: 0...8, using: &dice) {
            let start = Int.random(in: 0...new.count, using: &dice)
            let end = min(
                new.count, start + Int.random(in: 0...[3, 20, 120][Int.random(in: 0..<3, using: &dice)], using: &dice))
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: new.removeSubrange(start..<end)
            case 1: new.insert(contentsOf: text(Int.random(in: 1...60, using: &dice), &dice), at: start)
            default: new.replaceSubrange(start..<end, with: text(end - start, &dice))
            }
        }
        return (string(old), string(new))
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
