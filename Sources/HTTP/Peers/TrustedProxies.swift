import Ground

/// The proxies whose forwarding fields determine the client's address.
package struct TrustedProxies: Sendable, Hashable {
    /// The forwarding field that the proxies set.
    ///
    /// The server ignores the other one: a proxy that does not know it passes on the client's value.
    package enum Field: String, Sendable, CaseIterable {
        case xForwardedFor = "x-forwarded-for"
        /// The field of RFC 7239.
        case forwarded
    }

    private let ranges: [AddressRange]
    private let field: Field

    /// The maximum number of hops that are read from the field.
    package static let hops = 16

    package init(_ ranges: [AddressRange] = [], field: Field = .xForwardedFor) {
        self.ranges = ranges
        self.field = field
    }

    /// Whether a peer is a trusted proxy; every peer on a unix socket is one.
    package func contains(_ peer: PeerAddress) -> Bool {
        peer.isLocal || ranges.contains { $0.contains(peer) }
    }

    /// Returns the address of the client: the nearest hop that is no trusted proxy.
    ///
    /// If a proxy sends no readable address, the client is the last known hop.
    package func client(behind peer: PeerAddress, _ head: RequestHead) -> PeerAddress {
        guard contains(peer) else { return peer }
        let isStandard = field == .forwarded
        let fields = head.allBytes(of: isStandard ? .forwarded : .xForwardedFor)
        var nearest = peer
        var hops = 0
        for field in fields.reversed() {
            for element in field.split(separator: ASCII.comma, omittingEmptySubsequences: false).reversed() {
                hops += 1
                guard hops <= Self.hops, let hop = isStandard ? Self.standardHop(element) : Self.address(element) else {
                    return nearest
                }
                nearest = hop
                guard contains(hop) else { return hop }
            }
        }
        return nearest
    }

    /// Returns the address in the `for` parameter of one element of `Forwarded`.
    private static func standardHop(_ element: ArraySlice<UInt8>) -> PeerAddress? {
        for pair in element.split(separator: ASCII.semicolon) {
            let text = pair.trimmingBlanks()
            guard let equals = text.firstIndex(of: ASCII.equals),
                text[..<equals].map(ASCII.lowercased).elementsEqual("for".utf8)
            else { continue }
            return address(text[(equals + 1)...])
        }
        return nil
    }

    /// Reads an address that may be quoted, in brackets, and followed by a port.
    private static func address(_ bytes: ArraySlice<UInt8>) -> PeerAddress? {
        var text = Substring(decoding: bytes.trimmingBlanks(), as: UTF8.self)
        if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return PeerAddress(text[text.index(after: text.startIndex)..<end])
        }
        if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon { text = text[..<colon] }
        return PeerAddress(text)
    }
}
