import HTTP
import Testing

struct TrustedProxiesTests {
    private func client(
        _ peer: String, _ fields: String, trusting networks: [String] = ["10.0.0.0/8", "::1"],
        by field: TrustedProxies.Field = .xForwardedFor
    ) throws -> String {
        let proxies = TrustedProxies(try networks.map { try #require(AddressRange($0)) }, field: field)
        let head = try RequestHead(parsing: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        let peer = peer == "unix" ? PeerAddress.local : try #require(PeerAddress(peer))
        return "\(proxies.client(behind: peer, head))"
    }

    @Test func `the fields of an untrusted peer are ignored`() throws {
        #expect(try client("9.9.9.9", "X-Forwarded-For: 1.1.1.1\r\n") == "9.9.9.9")
    }

    @Test func `the nearest hop that is not a trusted proxy is the client, whatever it claims about others`() throws {
        #expect(try client("10.0.0.1", "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.0.0.9\r\n") == "2.2.2.2")
        #expect(try client("10.0.0.1", "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n") == "2.2.2.2")
        #expect(try client("unix", "X-Forwarded-For: 3.3.3.3\r\n") == "3.3.3.3")
        #expect(try client("::1", "X-Forwarded-For: [2001:db8::7]:443\r\n") == "2001:db8::7")
        #expect(try client("::1", "X-Forwarded-For: 3.3.3.3:1234\r\n") == "3.3.3.3")
    }

    @Test func `the furthest hop is the client if all hops are proxies`() throws {
        #expect(try client("10.0.0.1", "X-Forwarded-For: 10.0.0.2, 10.0.0.3\r\n") == "10.0.0.2")
        #expect(try client("10.0.0.1", "") == "10.0.0.1")
    }

    @Test(arguments: ["unknown", "_hidden", "", "1.2.3.4.5"])
    func `an unreadable hop ends the search at the previous hop`(hop: String) throws {
        #expect(try client("10.0.0.1", "X-Forwarded-For: \(hop), 10.0.0.5\r\n") == "10.0.0.5")
    }

    @Test func `only the field that the proxies set counts`() throws {
        let both = "Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 2.2.2.2\r\n"
        #expect(try client("10.0.0.1", both) == "2.2.2.2")
        #expect(try client("10.0.0.1", both, by: .forwarded) == "6.6.6.6")
    }

    @Test func `the standard field is read with its quotes, brackets and other parameters`() throws {
        let fields = "Forwarded: for=1.1.1.1, proto=https;For=\"[2001:db8::7]:47011\";by=10.0.0.1\r\n"
        #expect(try client("10.0.0.1", fields, by: .forwarded) == "2001:db8::7")
    }

    @Test func `hops past the limit are not read`() throws {
        func chain(_ count: Int) -> String {
            "X-Forwarded-For: 1.1.1.1, " + Array(repeating: "10.0.0.9", count: count).joined(separator: ",") + "\r\n"
        }
        #expect(try client("10.0.0.1", chain(TrustedProxies.hops - 1)) == "1.1.1.1")
        #expect(try client("10.0.0.1", chain(TrustedProxies.hops)) == "10.0.0.9")
    }
}
