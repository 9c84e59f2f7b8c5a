import HTTP
import Testing

struct PeerAddressTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("::1", "::1"), ("::", "::"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8::", "2001:db8::"), ("::ffff:9.8.7.6", "9.8.7.6"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
    ])
    func `an address is read and written in its short form`(text: String, expected: String) {
        #expect(PeerAddress(text).map { "\($0)" } == expected)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.x", " 1.2.3.4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "::1::", "12345::", "1:2:3:4:5:6:7::8:9", "::1.2.3", "1.2.3.4::", "fe80::1%eth0", "[::1]", ":", ":::",
        "+1.2.3.4",
        "1:2:3:4:5:6:7:8::",
    ])
    func `any other text is not an address`(text: String) {
        #expect(PeerAddress(text) == nil)
    }

    @Test func `limits count an IPv4 address by itself and IPv6 by the network of a customer`() throws {
        let first = try #require(PeerAddress("2001:db8:1:2:aaaa::1"))
        let second = try #require(PeerAddress("2001:db8:1:2:bbbb::2"))
        let other = try #require(PeerAddress("2001:db8:1:3:aaaa::1"))
        #expect(first.group == second.group)
        #expect(first.group != other.group)
        #expect(PeerAddress("1.2.3.4")?.group != PeerAddress("1.2.3.5")?.group)
    }

    @Test func `a request without a known peer address is not trusted`() throws {
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(head.client == .unknown)
        #expect(!head.client.isLocal && head.client.group == .unknown)
        let everyone = TrustedProxies([try #require(AddressRange("0.0.0.0/0")), try #require(AddressRange("::/0"))])
        #expect(!everyone.contains(head.client))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "9.9.9.9", true),
        ("0.0.0.0/0", "::1", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8:0:0:8000::", false), ("::/0", "::1", true), ("10.0.0.1/32", "10.0.0.1", true),
    ])
    func `a network contains the addresses with its prefix`(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(PeerAddress(address))) == isIn)
    }

    @Test(arguments: ["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/+8", "::/129", "x/8", "/8"])
    func `text that is not a network is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
