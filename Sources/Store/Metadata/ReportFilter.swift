import Ground

/// A Bloom filter of the reports of one segment: it finds each of them, and one of 1,400 others by mistake if it is full.
struct ReportFilter {
    /// The bytes of a filter, 16 bits for each report.
    static let byteCount = 1 << 17
    static let bitCount = 8 * byteCount
    /// The bits of each report.
    static let probes = 7

    private(set) var bytes: [UInt8]

    init() {
        bytes = Array(repeating: 0, count: Self.byteCount)
    }

    init(_ hashes: [UInt64]) {
        self.init()
        for hash in hashes { insert(hash) }
    }

    /// Fails for bytes of another filter's length.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    mutating func insert(_ hash: UInt64) {
        bytes.withUnsafeMutableBufferPointer { bytes in
            var positions = ReportFilterPositions(of: hash)
            for _ in 0..<Self.probes {
                // A position is below the number of bits.
                let position = positions.next()
                bytes[position >> 3] |= 1 << UInt8(truncatingIfNeeded: position & 7)
            }
        }
    }

    func mayContain(_ hash: UInt64) -> Bool {
        var positions = ReportFilterPositions(of: hash)
        for _ in 0..<Self.probes {
            let position = positions.next()
            guard bytes[position >> 3] & 1 << UInt8(truncatingIfNeeded: position & 7) != 0 else { return false }
        }
        return true
    }
}

/// The positions of a report among the bits of a filter: the halves of the hash give each report a sequence of its own.
struct ReportFilterPositions {
    private var current: UInt64
    private let step: UInt64

    init(of hash: UInt64) {
        current = hash
        step = hash >> 32 | 1
    }

    mutating func next() -> Int {
        defer { current &+= step }
        return Int(truncatingIfNeeded: current & UInt64(ReportFilter.bitCount - 1))
    }
}
