/// The 64-bit hash SipHash-2-4 (Aumasson and Bernstein, 2012).
///
/// Unlike `Hasher` it returns the same value in each process, so that hashes can be stored.
package struct SipHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// - Parameters:
    ///   - first: The first half of the key.
    ///   - second: The second half of the key.
    package init(key first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        @inline(__always)
        mutating func round() {
            v0 &+= v1
            v2 &+= v3
            v1 = Self.rotated(v1, 13) ^ v0
            v3 = Self.rotated(v3, 16) ^ v2
            v0 = Self.rotated(v0, 32)
            v2 &+= v1
            v0 &+= v3
            v1 = Self.rotated(v1, 17) ^ v2
            v3 = Self.rotated(v3, 21) ^ v0
            v2 = Self.rotated(v2, 32)
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        @inline(__always)
        private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word &<< count | word &>> (64 &- count)
        }
    }

    /// Returns the hash of a text's bytes.
    package func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in unsafe hash(UnsafeRawBufferPointer(bytes)) }
    }

    /// Returns the hash of bytes.
    package func hash(_ bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe hash($0) } }

    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(
            v0: first ^ 0x736f_6d65_7073_6575, v1: second ^ 0x646f_7261_6e64_6f6d, v2: first ^ 0x6c79_6765_6e65_7261,
            v3: second ^ 0x7465_6462_7974_6573)
        let wholeWords = bytes.count & ~7
        for offset in stride(from: 0, to: wholeWords, by: 8) {
            state.add(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) &<< 56
        for offset in wholeWords..<bytes.count {
            last |= UInt64(unsafe bytes[offset]) &<< UInt64(8 &* (offset & 7))
        }
        state.add(last)
        state.v2 ^= 0xff
        for _ in 0..<4 { state.round() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }
}
