import Client
import HTTP
import TLS
import TestKit
import Testing
import Transport

/// Requests through a forward proxy, as the environment names it.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(2)))
struct ProxyTests {
    private static let credentials = "ci:p%40ss"
    /// Base64 of `ci:p@ss`.
    private static let authorization = "Basic Y2k6cEBzcw=="

    private func client(_ environment: [String: String], authorities: String? = nil) -> HTTPClient {
        HTTPClient(authorities: authorities, proxies: ProxySettings(environment: environment))
    }

    private func name(_ proxy: ForwardProxy) -> String { "http://127.0.0.1:\(proxy.port)" }

    private func url(_ proxy: ForwardProxy) -> String { "http://\(Self.credentials)@127.0.0.1:\(proxy.port)" }

    /// The URL of a server under an address that reaches this machine and is none of its loopback addresses.
    private func open(_ base: String) -> String { base.replacing("127.0.0.1", with: "0.0.0.0") }

    @Test func `a plain request goes to the proxy with its whole URL`() throws {
        let (server, proxy) = (TinyServer { _ in .response(200, [:], Array("hello".utf8)) }, ForwardProxy())
        defer {
            server.stop()
            proxy.stop()
        }
        let request = ClientRequest(
            .post, try HTTPURL(open(server.base)).appending("/x?y=1"), fields: ["X-Own": "1"], body: .bytes([1, 2, 3]))
        let response = try client(["http_proxy": url(proxy)]).send(request)
        #expect(response.body == Array("hello".utf8))
        #expect(server.requests.map(\.body) == [[1, 2, 3]])
        #expect(proxy.requests.map(\.line) == ["POST \(open(server.base))/x?y=1 HTTP/1.1"])
        #expect(proxy.requests.first?.fields["proxy-authorization"] == Self.authorization)
    }

    @Test func `a request over TLS goes through a tunnel, and the proxy gets none of its fields`() throws {
        let files = try TestCertificate.make(names: ["IP:0.0.0.0"])
        let server = try SecureServer(
            files, saying: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", ending: .announced)
        let proxy = ForwardProxy()
        defer {
            server.stop()
            proxy.stop()
        }
        let request = ClientRequest(
            .get, try HTTPURL(open(server.base)), fields: [.authorization: "Bearer secret"])
        let response = try client(["HTTPS_PROXY": url(proxy)], authorities: files.certificate).send(request)
        #expect(response.body == Array("hello".utf8))
        let tunnel = try #require(proxy.requests.first)
        #expect(tunnel.line == "CONNECT \(open(server.base).dropFirst("https://".count)) HTTP/1.1")
        #expect(tunnel.fields["proxy-authorization"] == Self.authorization)
        #expect(tunnel.fields["authorization"] == nil)
    }

    @Test(arguments: ["0.0.0.0", "other.example,0.0.0.0", "0.0.0.0/8", "*"])
    func `hosts in NO_PROXY are reached directly`(exceptions: String) throws {
        let (server, proxy) = (TinyServer { _ in .response(200) }, ForwardProxy())
        defer {
            server.stop()
            proxy.stop()
        }
        let client = client(["http_proxy": url(proxy), "NO_PROXY": exceptions])
        #expect(try client.send(ClientRequest(.get, try HTTPURL(open(server.base)))).head.status == 200)
        #expect(proxy.requests.isEmpty && server.requests.count == 1)
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "127.0.0.2", "127.1", "0x7f.1", "0177.0.0.1",
        "2130706433",
        "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    ])
    func `a request to this machine, and the token in it, never goes to a proxy`(host: String) throws {
        let (server, proxy) = (TinyServer { _ in .response(200) }, ForwardProxy())
        defer {
            server.stop()
            proxy.stop()
        }
        let client = client(["http_proxy": url(proxy)])
        let own = server.base.replacing("127.0.0.1", with: host)
        // Only 127.0.0.1 is listened at: another address of this machine refuses the connection.
        _ = try? client.send(ClientRequest(.get, try HTTPURL(own), fields: [.authorization: "Bearer secret"]))
        #expect(proxy.requests.isEmpty)
    }

    @Test(arguments: ["http", "https"], [407, 403, 502])
    func `a proxy that refuses is named without its credentials`(scheme: String, status: Int) throws {
        let proxy = ForwardProxy(refusing: status)
        defer { proxy.stop() }
        let client = client(["http_proxy": url(proxy), "https_proxy": url(proxy)])
        let error = #expect(throws: TransportError.self) {
            try client.send(ClientRequest(.get, try HTTPURL("\(scheme)://larder.example/")))
        }
        #expect(error == .proxyRefused(proxy: name(proxy), status: status))
        #expect(error?.description.contains("\(status)") == true)
        #expect(error?.description.contains("ci") == false && error?.description.contains("ss@") == false)
    }

    @Test func `a refusal of the server that a proxy forwards is the server's`() throws {
        let problem = Array(#"{"code":"forbidden"}"#.utf8)
        let server = TinyServer { _ in .response(403, ["Content-Type": "application/problem+json"], problem) }
        let proxy = ForwardProxy()
        defer {
            server.stop()
            proxy.stop()
        }
        let response = try client(["http_proxy": url(proxy)]).send(
            ClientRequest(.get, try HTTPURL(open(server.base))))
        #expect(response.head.status == 403 && response.body == problem)
    }

    @Test(arguments: ["http", "https"])
    func `a proxy that is not there is named without its credentials`(scheme: String) throws {
        let proxy = ForwardProxy()
        let (environment, port) = (["http_proxy": url(proxy), "https_proxy": url(proxy)], proxy.port)
        proxy.stop()
        let error = #expect(throws: TransportError.self) {
            try client(environment).send(ClientRequest(.get, try HTTPURL("\(scheme)://larder.example/")))
        }
        guard case .unreachable(let peer, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(peer == "larder.example" && !reason.contains("p%40ss"))
        #expect(reason.contains("(the proxy is http://127.0.0.1:\(port))"))
    }

    @Test func `a proxy is not named if the connection to a host in NO_PROXY fails`() throws {
        let server = TinyServer { _ in .response(200) }
        let base = server.base
        server.stop()
        let client = client(["http_proxy": "http://127.0.0.1:1", "NO_PROXY": "0.0.0.0"])
        let error = #expect(throws: TransportError.self) {
            try client.send(ClientRequest(.get, try HTTPURL(open(base))))
        }
        guard case .unreachable(_, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.contains("proxy"))
    }

    @Test(arguments: [
        "http://ci:p%40ss@[", "gopher://ci:p%40ss@127.0.0.1", "http://ci:p%40ss@127.0.0.1:x",
        "http://CORP/ci:ss@127.0.0.1:3128", "http://ci:1?ss@127.0.0.1:3128", "http://ci:1#ss@127.0.0.1:3128",
    ])
    func `a proxy that cannot be used is named without its credentials`(url: String) throws {
        let error = #expect(throws: TransportError.self) {
            try client(["ALL_PROXY": url]).send(ClientRequest(.get, try HTTPURL("http://larder.example/")))
        }
        guard case .proxyFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("ss") == false, "\(String(describing: error))")
    }

    @Test(
        arguments: [
            (["http_proxy": "a", "ALL_PROXY": "b"], "a", "b"), (["HTTP_PROXY": "a"], nil, nil),
            (["https_proxy": "a", "HTTPS_PROXY": "b"], nil, "a"), (["https_proxy": "", "HTTPS_PROXY": "b"], nil, "b"),
            (["all_proxy": "a", "ALL_PROXY": "b"], "a", "a"), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func `the environment names proxies as it does for curl`(
        environment: [String: String], plain: String?, secure: String?
    ) throws {
        let settings = ProxySettings(environment: environment)
        #expect(try settings.proxy(for: HTTPURL("http://a/")) == plain)
        #expect(try settings.proxy(for: HTTPURL("https://a/")) == secure)
    }
}
