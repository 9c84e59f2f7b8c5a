import Ground

/// A network: all addresses with the same prefix (CIDR, RFC 4632).
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let network: PeerAddress
    private let length: Int

    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or a single address; returns `nil` if bits after the prefix are set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = PeerAddress(parts[0]) else { return nil }
        var length = address.bits
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...address.bits).contains(given), parts[1].utf8.allSatisfy(ASCII.isDigit)
            else { return nil }
            length = given
        }
        guard address.prefix(length) == address else { return nil }
        network = address
        self.length = length
    }

    package func contains(_ address: PeerAddress) -> Bool {
        address.isSameKind(as: network) && address.prefix(length) == network
    }

    package var description: String { length == network.bits ? "\(network)" : "\(network)/\(length)" }
}
