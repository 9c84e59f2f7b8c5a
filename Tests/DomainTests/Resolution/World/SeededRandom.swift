import FoundationEssentials

/// A pseudo-random generator with a seed, so that a failed test can be repeated.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns `true` in so many percent of the calls.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// Creates a generator with the seed in `LARDER_TEST_SEED`, and prints it.
    ///
    /// The value `new` selects a new seed each time. By default the seed is constant, so that a failure is due to a
    /// change.
    static func fresh(for test: String) -> SeededRandom {
        let said = ProcessInfo.processInfo.environment["LARDER_TEST_SEED"]
        let seed = said == "new" ? UInt64.random(in: 0..<1 << 48) : said.flatMap { UInt64($0) } ?? 20_261_121
        print("\(test): LARDER_TEST_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }
}
