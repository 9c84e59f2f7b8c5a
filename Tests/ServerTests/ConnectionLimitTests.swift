import HTTP
import TestKit
import Testing

@testable import Server

private func hello(_ head: RequestHead) -> Disposition {
    .prepared(PreparedResponse(.ok, fields: [:], body: Array("hello".utf8)))
}

@Suite(.timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    @Test func `one address has so many connections and no more, until one of them ends`() async throws {
        try await TestServer.run(maxConnectionsPerAddress: 3, hello) { server in
            var clients = try (0..<3).map { _ in try server.connect() }
            for client in clients { #expect(try client.get("/").status == 200) }
            let surplus = try server.connect()
            #expect(surplus.isEnded())
            #expect(await server.server.traffic().refused == 1)
            clients.removeLast()
            while await server.server.traffic().connections > 2 {}
            let next = try server.connect()
            #expect(try next.get("/").status == 200)
        }
    }

    @Test func `a /56 of IPv6 has four times the connections of one address, and a /64 of it no more than one`() throws
    {
        let census = Census(limit: 100, limitPerAddress: 2, proxies: TrustedProxies())
        func peer(_ network: String, _ host: Int = 1) throws -> PeerAddress {
            try #require(PeerAddress("2001:db8:0:\(network)::\(host)"))
        }
        // All slots are free: only addresses are counted here.
        #expect(try census.admit(peer("100", 1)) && census.admit(peer("100", 2)))
        #expect(try !census.admit(peer("100", 3)))
        for network in ["101", "102", "1ff"] {
            #expect(try census.admit(peer(network)) && census.admit(peer(network)), "\(network)")
        }
        #expect(try !census.admit(peer("103")))
        #expect(try census.admit(peer("200")))
        #expect(try census.admit(peer("0")))
        _ = census.leave(from: try peer("1ff"))
        #expect(try census.admit(peer("103")))
        #expect(try !census.admit(peer("104")))
    }

    @Test func `a trusted proxy has no limit of its own`() async throws {
        let proxies = TrustedProxies([try #require(AddressRange("127.0.0.1"))])
        try await TestServer.run(maxConnectionsPerAddress: 1, proxies: proxies, hello) { server in
            let clients = try (0..<3).map { _ in try server.connect() }
            for client in clients { #expect(try client.get("/").status == 200) }
        }
    }

    @Test func `the last request that a connection may have gets Connection: close`() async throws {
        var limits = Limits()
        limits.requestsPerConnection = 2
        try await TestServer.run(limits: limits, hello) { server in
            let client = try server.connect()
            #expect(try client.get("/").fields["connection"] == nil)
            #expect(try client.get("/").fields["connection"] == "close")
            #expect(client.isEnded())
        }
    }
}
