/// A sample of a text's statements, by which similar texts are found.
struct StatementSample {
    /// The length in bytes of each sampled statement, by its hash.
    let weights: [UInt64: Int]

    /// The minimum length in bytes: shorter statements are not significant.
    private static let shortest = 12
    /// The sampling rate: one in so many statements, chosen by the statement's hash.
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

    /// The offset basis of 64-bit FNV-1a.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func endsStatement(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "{")
            || byte == UInt8(ascii: "\n")
    }
}

/// An index of the statements of many texts, which finds the text that shares most with a sample.
struct StatementIndex {
    private var texts: [UInt64: [Int]] = [:]

    /// The number of texts above which a statement is too common to count.
    private static let mostTexts = 16

    mutating func add(_ sample: StatementSample, of text: Int) {
        for hash in sample.weights.keys where texts[hash]?.count ?? 0 <= Self.mostTexts {
            texts[hash, default: []].append(text)
        }
    }

    /// Returns the number of bytes that each text shares with a sample.
    func shares(of sample: StatementSample) -> [Int: Int] {
        var shares: [Int: Int] = [:]
        for (hash, weight) in sample.weights {
            guard let texts = texts[hash], texts.count <= Self.mostTexts else { continue }
            for text in texts { shares[text, default: 0] += weight }
        }
        return shares
    }
}
