/// Where a request comes from: an IP address, the machine itself by a unix socket, or nowhere that is known.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: UInt8 {
        case unknown, local, ipv4, ipv6
    }

    private let kind: Kind
    /// The sixteen bytes of an IPv6 address, most significant first; those of an IPv4 address are the last four.
    private let high: UInt64
    private let low: UInt64

    private init(kind: Kind, high: UInt64, low: UInt64) {
        self.kind = kind
        self.high = high
        self.low = low
    }

    /// Not said yet; no list of networks contains it, and nobody trusts it.
    package static let unknown = PeerAddress(kind: .unknown, high: 0, low: 0)

    /// By a unix socket.
    package static let local = PeerAddress(kind: .local, high: 0, low: 0)

    /// An IPv4 address, most significant byte first.
    package init(ipv4 address: UInt32) {
        self.init(kind: .ipv4, high: 0, low: UInt64(address))
    }

    /// An IPv6 address as two numbers, most significant byte first; one that stands for an IPv4 address (RFC 4291
    /// §2.5.5.2) is that one.
    package init(ipv6 high: UInt64, _ low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.init(kind: isMapped ? .ipv4 : .ipv6, high: high, low: isMapped ? low & 0xFFFF_FFFF : low)
    }

    package var isLocal: Bool { kind == .local }

    /// How many bits an address of this kind has.
    var bits: Int {
        switch kind {
        case .unknown, .local: 0
        case .ipv4: 32
        case .ipv6: 128
        }
    }

    /// What limits are counted by: an IPv4 address by itself, an IPv6 address by the network that one customer has.
    package var group: PeerAddress { kind == .ipv6 ? prefix(64) : self }

    /// The /56 that an IPv6 address is in, which many providers give to one customer; `nil` for other addresses.
    package var network: PeerAddress? { kind == .ipv6 ? prefix(56) : nil }

    /// The unit of turns and of shares: an IPv4 address, or the largest network of IPv6 that one customer usually has.
    package var customer: PeerAddress { network ?? self }

    /// The address with all bits behind the first ones zero.
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

    /// The short form of RFC 5952: the longest run of zeroes, of two at least and the first of equals, is left out.
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
