import HTTP
import Testing

struct PublicAddressTests {
    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15", "168.63.129.17",
        "2001:200::1", "2606:4700::1111", "2002:0101:0101::1", "64:ff9b::1.1.1.1", "::ffff:1.1.1.1", "3ffe::1",
    ])
    func `an address on the internet is public`(text: String) throws {
        #expect(try #require(PeerAddress(text)).isPublic)
    }

    @Test(arguments: [
        // IPv4: the first and the last address of each network.
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
        "192.0.0.0", "192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
        "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.0", "239.255.255.255", "240.0.0.0",
        "255.255.255.255", "168.63.129.16",
        // IPv6: unspecified, loopback, mapped, compatible, translated, 6to4, local, multicast, assigned, documentation.
        "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "2002:7f00:1::1", "2002:c0a8:101::", "fe80::1", "febf::1", "fec0::1", "fc00::1",
        "fd00:ec2::254",
        "ff02::1", "2001::1", "2001:1ff::1", "2001:db8::1", "3fff::1", "4000::1", "5f00::1", "100::1",
    ])
    func `a private, local or reserved address is not public`(text: String) throws {
        #expect(try !#require(PeerAddress(text)).isPublic)
    }

    @Test func `the source of a request that is no address is not public`() {
        #expect(!PeerAddress.unknown.isPublic && !PeerAddress.local.isPublic)
    }
}
