/// The source of a request: an IP address, a unix socket on this machine, or unknown.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: UInt8 {
        case unknown, local, ipv4, ipv6
    }

    private let kind: Kind
    /// The sixteen bytes of an IPv6 address, most significant first; an IPv4 address occupies the last four.
    private let high: UInt64
    private let low: UInt64

    private init(kind: Kind, high: UInt64, low: UInt64) {
        self.kind = kind
        self.high = high
        self.low = low
    }

    /// The address before the server has set one; in no network and never trusted.
    package static let unknown = PeerAddress(kind: .unknown, high: 0, low: 0)

    /// The address of all peers that connect through a unix socket.
    package static let local = PeerAddress(kind: .local, high: 0, low: 0)

    /// Creates an IPv4 address, most significant byte first.
    package init(ipv4 address: UInt32) {
        self.init(kind: .ipv4, high: 0, low: UInt64(address))
    }

    /// Creates an IPv6 address from two numbers, most significant byte first.
    ///
    /// An IPv4-mapped address (RFC 4291 §2.5.5.2) becomes the IPv4 address.
    package init(ipv6 high: UInt64, _ low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(kind: isMapped ? .ipv4 : .ipv6, high: high, low: isMapped ? low & 0xFFFF_FFFF : low)
    }

    package var isLocal: Bool { kind == .local }

    /// The number of bits of an address of this kind.
    var bits: Int {
        switch kind {
        case .unknown, .local: 0
        case .ipv4: 32
        case .ipv6: 128
        }
    }

    /// The unit that limits count: an IPv4 address, or the /64 of an IPv6 address.
    package var group: PeerAddress { kind == .ipv6 ? prefix(64) : self }

    /// The /56 of an IPv6 address, which many providers assign to one customer; `nil` for other addresses.
    package var network: PeerAddress? { kind == .ipv6 ? prefix(56) : nil }

    /// The unit of fair queues and shares: an IPv4 address, or the largest IPv6 network that one customer usually has.
    package var customer: PeerAddress { network ?? self }

    /// Returns the address with all bits after the first `length` cleared.
    func prefix(_ length: Int) -> PeerAddress {
        switch kind {
        case .unknown, .local: self
        case .ipv4: PeerAddress(kind: kind, high: 0, low: low & Self.mask(length, of: 32))
        case .ipv6:
            PeerAddress(
                kind: kind, high: high & Self.mask(min(length, 64), of: 64),
                low: low & Self.mask(max(length - 64, 0), of: 64))
        }
    }

    var isIPv4: Bool { kind == .ipv4 }

    /// The IPv4 address that an address of NAT64's well-known prefix (RFC 6052) or of 6to4 (RFC 3056) stands for.
    var embedded: PeerAddress? {
        guard kind == .ipv6 else { return nil }
        if high == 0x64_FF9B << 32, low >> 32 == 0 { return PeerAddress(ipv4: UInt32(truncatingIfNeeded: low)) }
        return high >> 48 == 0x2002 ? PeerAddress(ipv4: UInt32(truncatingIfNeeded: high >> 16)) : nil
    }

    func isSameKind(as other: PeerAddress) -> Bool { kind == other.kind }

    private static func mask(_ length: Int, of width: Int) -> UInt64 {
        guard length > 0 else { return 0 }
        let ones = UInt64.max >> UInt64(64 - width)
        return length >= width ? ones : ones & ~(ones >> UInt64(length))
    }

    package var description: String {
        switch kind {
        case .unknown: return "unknown"
        case .local: return "unix"
        case .ipv4: return (0..<4).map { String(low >> UInt64(24 - 8 * $0) & 0xFF) }.joined(separator: ".")
        case .ipv6:
            return Self.text(
                (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - 16 * ($0 % 4))) })
        }
    }

    /// Returns the short form of RFC 5952: the first of the longest runs of at least two zeros is left out.
    private static func text(_ groups: [UInt16]) -> String {
        var best = 0..<0
        var index = 0
        while index < groups.count {
            let end = groups[index...].firstIndex { $0 != 0 } ?? groups.count
            if end - index >= 2, end - index > best.count { best = index..<end }
            index = max(end, index + 1)
        }
        let words = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard !best.isEmpty else { return words(groups[...]) }
        return words(groups[..<best.lowerBound]) + "::" + words(groups[best.upperBound...])
    }
}
