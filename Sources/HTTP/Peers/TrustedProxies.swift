/// The proxies whose word on where a request comes from is taken.
package struct TrustedProxies: Sendable, Hashable {
    /// The one field that they set.
    ///
    /// The other is not looked at: a proxy that does not know it passes on what a client wrote there.
    package enum Field: String, Sendable, CaseIterable {
        case xForwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    private let ranges: [AddressRange]
    private let field: Field

    /// A field names so many hops at most; what is further away is not looked at.
    package static let hops = 16

    package init(_ ranges: [AddressRange] = [], field: Field = .xForwardedFor) {
        self.ranges = ranges
        self.field = field
    }

    /// Who reaches the server by a unix socket is a proxy on the same machine.
    package func contains(_ peer: PeerAddress) -> Bool {
        peer.isLocal || ranges.contains { $0.contains(peer) }
    }

    /// Who sent a request that came from a peer: the nearest hop that is no trusted proxy.
    ///
    /// Where a proxy says nothing that can be read, it is the last hop that is known.
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

    /// The address in the `for` of one element of `Forwarded`.
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

    /// An address that may be quoted, in brackets, and have a port.
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
