/// One of the 10,000 parts into which devices are divided by their id (semantics.md §3).
package struct Bucket: Hashable, Sendable {
    /// The index, from 0 to 9,999.
    package let value: Int

    package static let count = 10_000

    /// Fails outside of 0 to 9,999.
    package init?(_ value: Int) {
        guard (0..<Self.count).contains(value) else { return nil }
        self.value = value
    }

    fileprivate init(_ key: DeviceKey) {
        value = Int(key.high % UInt64(Self.count))
    }
}

/// The facts that Larder derives from a device id: the bucket and a key that identifies the device.
package struct DeviceIdentity: Hashable, Sendable {
    package let bucket: Bucket
    package let key: DeviceKey

    /// The limit on the bytes of a device id; a longer id is ignored.
    package static let maximumLength = 256

    /// Fails for an empty or too long id.
    package init?(of id: String, in app: AppID, by cryptography: any Cryptography) {
        guard !id.isEmpty, id.utf8.count <= Self.maximumLength else { return nil }
        self.init(DeviceKey(of: id, in: app, by: cryptography))
    }

    package init(_ key: DeviceKey) {
        bucket = Bucket(key)
        self.key = key
    }
}

/// A device's key: the first 16 bytes of the digest that determines its bucket, or a hash with the same bucket.
package struct DeviceKey: Hashable, Sendable, Comparable {
    package let high: UInt64
    package let low: UInt64

    init(of id: String, in app: AppID, by cryptography: any Cryptography) {
        let digest = cryptography.sha256(Array("larder-bucket-1\0\(app)\0\(id)".utf8))
        high = digest.word(at: 0)
        low = digest.word(at: 8)
    }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns the key that differs from this one only in its bucket.
    func moved(to bucket: Bucket) -> DeviceKey {
        let count = UInt64(Bucket.count)
        let (sum, isTooLarge) = (high - high % count).addingReportingOverflow(UInt64(bucket.value))
        // The last 1,616 keys do not fill a round of buckets; they move to the round before.
        return DeviceKey(high: isTooLarge ? sum &- count : sum, low: low)
    }

    package static func < (left: DeviceKey, right: DeviceKey) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// The key as the store keeps it: 16 bytes, big-endian.
    package var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Parses the output of ``bytes``; fails unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension SHA256Digest {
    /// Returns eight bytes as a big-endian integer.
    fileprivate func word(at offset: Int) -> UInt64 {
        bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
