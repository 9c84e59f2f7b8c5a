/// A sample of the statements of a text, by which two texts are found to be alike.
struct StatementSample {
    /// Bytes of each statement, by its hash.
    let weights: [UInt64: Int]

    /// Shorter ones say little.
    private static let shortest = 12
    /// One of so many statements is in the sample; which, follows from the statement.
    private static let rarity: UInt64 = 8

    init(of text: [UInt8]) {
        var weights: [UInt64: Int] = [:]
        text.withUnsafeBufferPointer { text in
            var hash = Self.basis
            var length = 0
            for byte in text {
                if Self.endsStatement(byte) {
                    if length >= Self.shortest, (hash >> 32) % Self.rarity == 0 { weights[hash] = length }
                    hash = Self.basis
                    length = 0
                } else {
                    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
                    length += 1
                }
            }
        }
        self.weights = weights
    }

    /// FNV-1a's, for 64 bits.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func endsStatement(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "{")
            || byte == UInt8(ascii: "\n")
    }
}

/// The statements of many texts, to find the one that shares most with another.
struct StatementIndex {
    private var texts: [UInt64: [Int]] = [:]

    /// What stands in more texts says nothing of any.
    private static let mostTexts = 16

    mutating func add(_ sample: StatementSample, of text: Int) {
        for hash in sample.weights.keys where texts[hash]?.count ?? 0 <= Self.mostTexts {
            texts[hash, default: []].append(text)
        }
    }

    /// Bytes of the statements that each text shares with a sample.
    func shares(of sample: StatementSample) -> [Int: Int] {
        var shares: [Int: Int] = [:]
        for (hash, weight) in sample.weights {
            guard let texts = texts[hash], texts.count <= Self.mostTexts else { continue }
            for text in texts { shares[text, default: 0] += weight }
        }
        return shares
    }
}
