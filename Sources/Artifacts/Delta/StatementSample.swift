/// A sample of the statements of a text, by which two texts are found to be alike.
struct StatementSample {
    private let weights: [UInt64: Int]

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

    /// Bytes of the statements that both samples have.
    func shared(with other: StatementSample) -> Int {
        let (small, large) = weights.count < other.weights.count ? (self, other) : (other, self)
        return small.weights.reduce(0) { sum, statement in
            sum + (large.weights[statement.key] == nil ? 0 : statement.value)
        }
    }
}
