import Client
import HTTP
import TLS
import TestKit
import Testing
import Transport

/// Tests which servers a TLS client accepts.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(2)))
struct SecureClientTests {
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private func get(
        _ text: String, _ ending: SecureServer.Ending, names: [String] = ["IP:127.0.0.1"],
        trusting authorities: (TLSCertificateFiles) throws -> String? = { $0.certificate }
    ) throws -> String {
        let files = try TestCertificate.make(names: names)
        let server = try SecureServer(files, saying: text, ending: ending)
        defer { server.stop() }
        let client = HTTPClient(authorities: try authorities(files))
        let response = try client.send(ClientRequest(.get, try HTTPURL(server.base)))
        return String(decoding: response.body, as: UTF8.self)
    }

    private func expectDistrust(_ error: TransportError?) {
        guard case .untrusted = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a server certified by an authority in the file is accepted`() throws {
        #expect(try get(Self.hello, .announced) == "hello")
    }

    @Test func `a server with an untrusted certificate is refused`() {
        expectDistrust(#expect(throws: TransportError.self) { try get(Self.hello, .announced) { _ in nil } })
    }

    @Test func `a server certified by another authority is refused`() {
        let error = #expect(throws: TransportError.self) {
            try get(Self.hello, .announced) { _ in try TestCertificate.make(names: ["IP:127.0.0.1"]).certificate }
        }
        expectDistrust(error)
    }

    @Test(arguments: ["IP:127.0.0.2", "DNS:localhost"]) func `a certificate for another host is refused`(name: String) {
        expectDistrust(#expect(throws: TransportError.self) { try get(Self.hello, .announced, names: [name]) })
    }

    @Test(arguments: [SecureServer.Ending.announced, .cut])
    func `a body that ends with its connection is refused, since it may have been cut`(ending: SecureServer.Ending) {
        let error = #expect(throws: TransportError.self) { try get("HTTP/1.1 200 OK\r\n\r\nhello", ending) }
        #expect(error == .malformedResponse("over TLS, its body must have a length or chunks"))
    }

    @Test func `a body with a length is whole wherever the connection ends`() throws {
        #expect(try get(Self.hello, .cut) == "hello")
    }

    @Test(arguments: [SecureServer.Ending.announced, .cut])
    func `a body that is shorter than its length is an error`(ending: SecureServer.Ending) {
        let error = #expect(throws: TransportError.self) {
            try get("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", ending)
        }
        guard case .connectionEnded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
