package import Ground

/// A set of devices whose size is exact up to ``exactLimit`` and estimated above.
///
/// Up to the limit it holds the hashes of the device ids. Above it holds the registers of a HyperLogLog, whose estimate has
/// a standard error of 0.81 %. The content depends only on the set, so merging is associative, commutative and idempotent.
package struct DeviceSketch: Sendable, Equatable {
    /// The largest number of devices that is exact.
    package static let exactLimit = 10_000
    /// The registers of an estimated set; the standard error is 1.04 divided by the root of their number.
    package static let registerCount = 1 << registerBits
    private static let registerBits: UInt64 = 14
    /// The highest estimate, far beyond the number of devices that exist.
    private static let highestEstimate = 1e15
    /// The highest value of a register: the bits of a hash that do not select the register, and one.
    private static let highestRank = UInt8(64 - registerBits + 1)

    private enum Content: Sendable, Equatable {
        /// Sorted and distinct.
        case hashes([UInt64])
        case registers([UInt8])
    }

    private var content = Content.hashes([])

    /// Creates the empty set.
    package init() {}

    /// Creates the set of the devices with these hashes, in any order and repeated or not.
    package init(_ hashes: [UInt64]) {
        let distinct = Self.distinct(hashes)
        content = distinct.count <= Self.exactLimit ? .hashes(distinct) : .registers(Self.registers(of: distinct))
    }

    private init(_ content: Content) { self.content = content }

    /// Whether ``count`` is exact.
    package var isExact: Bool {
        if case .hashes = content { true } else { false }
    }

    /// The number of devices, estimated unless ``isExact``.
    package var count: Int {
        switch content {
        case .hashes(let hashes): hashes.count
        // More than the limit have been added, whatever the estimate is.
        case .registers(let registers):
            // The estimate of full registers is infinite.
            max(Self.exactLimit + 1, Int(min(Self.estimate(registers), Self.highestEstimate).rounded()))
        }
    }

    /// Returns the number of devices that another set would add.
    ///
    /// It is exact if the union is. Otherwise it is the difference of two estimates over the same registers, whose errors
    /// mostly cancel each other.
    package func added(by other: DeviceSketch) -> Int {
        var union = self
        union.merge(other)
        guard case .registers(let all) = union.content else { return union.count - count }
        let own =
            switch content {
            case .hashes(let hashes): Self.registers(of: hashes)
            case .registers(let registers): registers
            }
        let difference = Self.estimate(all) - Self.estimate(own)
        return Int(min(max(0, difference), Self.highestEstimate).rounded())
    }

    /// Adds the devices of another set.
    package mutating func merge(_ other: DeviceSketch) {
        switch (content, other.content) {
        case (.hashes(let own), .hashes(let others)): self = DeviceSketch(own + others)
        case (.registers(var registers), .hashes(let hashes)):
            content = .hashes([])
            Self.add(hashes, to: &registers)
            content = .registers(registers)
        case (.hashes(let hashes), .registers(var registers)):
            Self.add(hashes, to: &registers)
            content = .registers(registers)
        case (.registers(var registers), .registers(let others)):
            content = .hashes([])
            for index in 0..<Self.registerCount { registers[index] = max(registers[index], others[index]) }
            content = .registers(registers)
        }
    }

    /// Adds devices by their hashes.
    package mutating func insert(_ hashes: [UInt64]) {
        switch content {
        case .hashes(let own): self = DeviceSketch(own + hashes)
        case .registers(var registers):
            content = .hashes([])
            Self.add(hashes, to: &registers)
            content = .registers(registers)
        }
    }

    private static func distinct(_ hashes: [UInt64]) -> [UInt64] {
        var sorted = hashes.sorted()
        var end = 0
        for index in sorted.indices where index == 0 || sorted[index] != sorted[end - 1] {
            sorted[end] = sorted[index]
            end += 1
        }
        sorted.removeSubrange(end...)
        return sorted
    }

    private static func registers(of hashes: [UInt64]) -> [UInt8] {
        var registers = [UInt8](repeating: 0, count: registerCount)
        add(hashes, to: &registers)
        return registers
    }

    private static func add(_ hashes: [UInt64], to registers: inout [UInt8]) {
        for hash in hashes {
            let index = Int(hash &>> (64 - registerBits))
            // The bit behind the remaining ones ends the run of zeros.
            let rank = UInt8((hash &<< registerBits | 1 &<< (registerBits - 1)).leadingZeroBitCount + 1)
            registers[index] = max(registers[index], rank)
        }
    }

    /// Estimates a number of devices by the improved raw estimator of Ertl (2017), which has no bias at any size.
    private static func estimate(_ registers: [UInt8]) -> Double {
        var counts = [Int](repeating: 0, count: Int(highestRank) + 1)
        for register in registers { counts[Int(register)] += 1 }
        let size = Double(registerCount)
        var sum = size * tau(1 - Double(counts[Int(highestRank)]) / size)
        for rank in stride(from: Int(highestRank) - 1, through: 1, by: -1) { sum = 0.5 * (sum + Double(counts[rank])) }
        sum += size * sigma(Double(counts[0]) / size)
        // 0.7213… is 1 / (2 ln 2).
        return 0.721_347_520_444_481_7 * size * size / sum
    }

    private static func sigma(_ share: Double) -> Double {
        guard share < 1 else { return .infinity }
        var (power, factor, sum) = (share, 1.0, share)
        while true {
            power *= power
            let before = sum
            sum += power * factor
            factor += factor
            guard sum != before else { return sum }
        }
    }

    private static func tau(_ share: Double) -> Double {
        guard share > 0, share < 1 else { return 0 }
        var (power, factor, sum) = (share, 1.0, 1 - share)
        while true {
            power = power.squareRoot()
            let before = sum
            factor *= 0.5
            sum -= (1 - power) * (1 - power) * factor
            guard sum != before else { return sum / 3 }
        }
    }
}

// MARK: Bytes

extension DeviceSketch {
    /// The version of the serialized forms, with a kind each: hashes of 8 bytes, little-endian and ascending, or one byte
    /// for each register (docs/formats/report-totals.md).
    private static let hashForm: UInt8 = 1
    private static let registerForm: UInt8 = 2

    /// The serialized set.
    package var bytes: [UInt8] {
        switch content {
        case .registers(let registers): return [Self.registerForm] + registers
        case .hashes(let hashes):
            var bytes = [UInt8](repeating: Self.hashForm, count: 1 + 8 * hashes.count)
            var position = 1
            for hash in hashes {
                for shift: UInt64 in stride(from: 0, to: 64, by: 8) {
                    bytes[position] = UInt8(truncatingIfNeeded: hash &>> shift)
                    position += 1
                }
            }
            return bytes
        }
    }

    /// Parses a serialized set; fails for bytes that ``bytes`` never returns.
    package init?(bytes: [UInt8]) {
        switch bytes.first {
        case Self.registerForm:
            guard bytes.count == 1 + Self.registerCount, bytes.dropFirst().allSatisfy({ $0 <= Self.highestRank })
            else { return nil }
            self.init(.registers(Array(bytes.dropFirst())))
        case Self.hashForm:
            guard bytes.count % 8 == 1, bytes.count / 8 <= Self.exactLimit else { return nil }
            var hashes: [UInt64] = []
            hashes.reserveCapacity(bytes.count / 8)
            for start in stride(from: 1, to: bytes.count, by: 8) {
                let hash = UInt64(littleEndian: bytes[start..<start + 8])
                guard hashes.last.map({ $0 < hash }) ?? true else { return nil }
                hashes.append(hash)
            }
            self.init(.hashes(hashes))
        default: return nil
        }
    }
}

/// The hashes of device ids in an installation.
///
/// Its random key keeps devices, which choose their ids, from choosing hashes that an estimate mistakes for many devices.
package struct DeviceHasher: Sendable, Equatable {
    /// The number of bytes of a key.
    package static let keyLength = 16

    private let first: UInt64
    private let second: UInt64

    /// Fails for a key of another length than ``keyLength``.
    package init?(key: [UInt8]) {
        guard key.count == Self.keyLength else { return nil }
        first = UInt64(littleEndian: key[..<8])
        second = UInt64(littleEndian: key[8...])
    }

    /// Returns the hash of a device id.
    package func hash(_ device: String) -> UInt64 { keyed.hash(device) }

    /// The hash function with the key.
    package var keyed: SipHash { SipHash(key: first, second) }
}

extension UInt64 {
    /// Creates an integer from its eight bytes, the lowest first.
    fileprivate init(littleEndian bytes: ArraySlice<UInt8>) {
        self = 0
        for byte in bytes.reversed() { self = self &<< 8 | UInt64(byte) }
    }
}

/// A growing set of devices, which sorts added hashes rarely.
package struct DeviceUnion: Sendable {
    private var base = DeviceSketch()
    private var added: [UInt64] = []

    package init() {}

    /// Adds a device by its hash.
    package mutating func insert(_ hash: UInt64) {
        added.append(hash)
        if added.count > 2 * DeviceSketch.exactLimit { settle() }
    }

    /// Adds the devices of a set.
    package mutating func insert(_ sketch: DeviceSketch) {
        if base.isExact, let hashes = sketch.hashes {
            added += hashes
            if added.count > 2 * DeviceSketch.exactLimit { settle() }
        } else {
            base.merge(sketch)
        }
    }

    /// The bytes in memory.
    package var byteCount: Int { base.byteCount + 8 * added.capacity }

    /// The set.
    package var sketch: DeviceSketch {
        var copy = self
        copy.settle()
        return copy.base
    }

    private mutating func settle() {
        base.insert(added)
        added.removeAll()
    }
}

extension DeviceSketch {
    /// The hashes of an exact set; `nil` for an estimated one.
    fileprivate var hashes: [UInt64]? {
        guard case .hashes(let hashes) = content else { return nil }
        return hashes
    }

    /// The bytes in memory.
    fileprivate var byteCount: Int {
        switch content {
        case .hashes(let hashes): 8 * hashes.capacity
        case .registers(let registers): registers.capacity
        }
    }
}
