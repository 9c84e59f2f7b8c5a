extension PeerAddress {
    /// Whether the address belongs to a host on the internet, by the registries of special addresses of IANA.
    ///
    /// An address that contains an IPv4 address of a translator (NAT64, 6to4) is as public as that one.
    package var isPublic: Bool {
        if let embedded { return embedded.isPublic }
        return !Self.special.contains { $0.contains(self) } && (isIPv4 || Self.unicast.contains { $0.contains(self) })
    }

    /// The networks of IPv4, and those within the global unicast addresses of IPv6, that are not on the internet.
    private static let special: [AddressRange] = [
        // This network, private networks, carrier-grade NAT, loopback, link-local.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        // Protocol assignments, documentation, relays of 6to4, private networks, benchmarks, documentation.
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24",
        // Multicast, reserved addresses and broadcast.
        "224.0.0.0/4", "240.0.0.0/4",
        // The metadata and DHCP of a large provider of virtual machines, within its public addresses.
        "168.63.129.16",
        // Protocol assignments with Teredo and ORCHID, and documentation.
        "2001::/23", "2001:db8::/32", "3fff::/20",
    ].compactMap(AddressRange.init)

    /// The global unicast addresses of IPv6.
    private static let unicast = AddressRange("2000::/3").map { [$0] } ?? []
}
