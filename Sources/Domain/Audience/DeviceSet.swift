/// A set of devices by their keys, 16 bytes each: a list of a million takes 16 MB.
package struct DeviceSet: Sendable, Equatable {
    /// The distinct keys in rising order.
    private let keys: [DeviceKey]

    /// The limit on the devices of a list.
    package static let maximumCount = 1_000_000
    /// The bytes of a stored device.
    package static let bytesPerDevice = 16

    package init(_ keys: [DeviceKey]) {
        var distinct: [DeviceKey] = []
        distinct.reserveCapacity(keys.count)
        for key in keys.sorted() where distinct.last != key { distinct.append(key) }
        self.keys = distinct
    }

    package var count: Int { keys.count }

    package func contains(_ key: DeviceKey) -> Bool {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key
    }

    /// Returns the set without a device.
    package func removing(_ key: DeviceKey) -> DeviceSet { DeviceSet(keys.filter { $0 != key }) }

    /// Returns the set of the keys that a function makes of these.
    func mapping(_ transform: (DeviceKey) -> DeviceKey) -> DeviceSet { DeviceSet(keys.map(transform)) }

    /// The set as the store keeps it: the keys in order, each big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keys.count * Self.bytesPerDevice)
        for key in keys {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: key.high >> shift))
            }
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: key.low >> shift))
            }
        }
        return bytes
    }

    /// Parses the output of ``bytes``; fails for anything else.
    package init?(bytes: [UInt8]) {
        guard bytes.count.isMultiple(of: Self.bytesPerDevice) else { return nil }
        var keys: [DeviceKey] = []
        keys.reserveCapacity(bytes.count / Self.bytesPerDevice)
        for start in stride(from: 0, to: bytes.count, by: Self.bytesPerDevice) {
            func word(_ offset: Int) -> UInt64 {
                bytes[start + offset..<start + offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
            let key = DeviceKey(high: word(0), low: word(8))
            if let last = keys.last, last >= key { return nil }
            keys.append(key)
        }
        self.keys = keys
    }
}
