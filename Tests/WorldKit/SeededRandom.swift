import FoundationEssentials
import Ground

/// A pseudo-random generator with a seed, so that a failed test can be repeated.
package struct SeededRandom: RandomNumberGenerator {
    package let seed: UInt64
    private var generator: SplitMix64

    package init(seed: UInt64) {
        self.seed = seed
        generator = SplitMix64(seed: seed)
    }

    package mutating func next() -> UInt64 { generator.next() }

    /// Returns `true` in so many percent of the calls.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// Creates a generator with the seed in `LARDER_TEST_SEED`, and prints it.
    ///
    /// The value `new` selects a new seed each time. By default the seed is constant, so that a failure is due to a
    /// change.
    package static func fresh(for test: String) -> SeededRandom {
        let said = ProcessInfo.processInfo.environment["LARDER_TEST_SEED"]
        let seed = said == "new" ? UInt64.random(in: 0..<1 << 48) : said.flatMap { UInt64($0) } ?? 20_261_121
        print("\(test): LARDER_TEST_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }
}
