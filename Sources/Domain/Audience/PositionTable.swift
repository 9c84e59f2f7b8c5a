/// The order in which a release includes buckets: a device is included if its bucket's position is below the percentage
/// (semantics.md §3).
package struct PositionTable: Sendable {
    /// The positions, by bucket.
    private let positions: [UInt16]

    /// Sorts the buckets by SHA-256(salt ‖ bucket), which takes some milliseconds.
    package init(of salt: Salt, by cryptography: any Cryptography) {
        let digests = (0..<Bucket.count).map { bucket in
            cryptography.sha256(salt.bytes + [UInt8(bucket >> 8), UInt8(bucket & 0xFF)])
        }
        let order = (0..<Bucket.count).sorted { digests[$0] < digests[$1] }
        var positions = [UInt16](repeating: 0, count: Bucket.count)
        for (position, bucket) in order.enumerated() { positions[bucket] = UInt16(position) }
        self.positions = positions
    }

    /// Returns the position of a bucket, from 0 to 9,999.
    package func position(of bucket: Bucket) -> Int { Int(positions[bucket.value]) }
}

/// The 16 random bytes that determine a release's order of buckets.
package struct Salt: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let length = 16

    /// Fails unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Returns a new random salt.
    package static func random(by cryptography: any Cryptography) -> Salt {
        Salt(known: cryptography.randomBytes(length))
    }

    private init(known bytes: [UInt8]) { self.bytes = bytes }
}
