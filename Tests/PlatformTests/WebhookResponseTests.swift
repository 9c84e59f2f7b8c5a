import Domain
import Ground
import HTTP
import Platform
import ServiceKit
import TestKit
import Testing
import Wiring

/// Tests how much of a receiver's response counts.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct WebhookResponseTests {
    private func test(
        _ text: String, _ ending: SecureServer.Ending, _ kind: WebhookKind = .standard, isTrusted: Bool = true
    ) async throws -> WebhookDelivery {
        let receiver = try SecureServer(saying: text, ending: ending)
        defer { receiver.stop() }
        return try await test(receiver.base, kind, trusting: isTrusted ? receiver.certificate : nil)
    }

    private func test(
        _ url: String, _ kind: WebhookKind, trusting authorities: String? = nil
    ) async throws -> WebhookDelivery {
        let post = HTTPWebhookPost(
            permitting: ["127.0.0.0/8"].compactMap(AddressRange.init), timeLimit: .seconds(2), authorities: authorities)
        let service = try await TestService(webhookPost: post)
        let webhook = try await service.webhooks.make(
            kind, url: url, events: .all, secret: nil, of: service.app, by: .server)
        return try await service.webhooks.test(webhook.id, of: service.app, by: .server)
    }

    @Test(arguments: [SecureServer.Ending.announced, .cut, .awaited, .endless], [WebhookKind.standard, .slack])
    func `over TLS the head of a response decides, however its body ends`(
        ending: SecureServer.Ending, kind: WebhookKind
    ) async throws {
        for head in ["", "Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n"] {
            let delivery = try await test("HTTP/1.1 200 OK\r\n\(head)\r\nx", ending, kind)
            #expect(delivery.outcome.kind == .delivered, "\(delivery.outcome.reason)")
            #expect(delivery.duration < 2_000)
        }
    }

    @Test(arguments: [SecureServer.Ending.announced, .cut, .awaited, .endless])
    func `over TLS a status besides 2xx counts without a length as well`(ending: SecureServer.Ending) async throws {
        let gone = try await test("HTTP/1.1 410 Gone\r\n\r\n", ending).outcome
        #expect(gone.status == 410 && gone.kind == .rejected && gone.isGone)
        let busy = try await test("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 60\r\n\r\n", ending).outcome
        #expect(busy.status == 429 && busy.retryAfter == 60_000)
    }

    @Test(arguments: [SecureServer.Ending.announced, .cut, .awaited, .endless])
    func `over TLS the body of a robot's response is read until it ends, fills the limit or the time is over`(
        ending: SecureServer.Ending
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        #expect(try await test(head + #"{"errcode":0}"#, ending, .dingtalk).outcome.kind == .delivered)
        let refused = try await test(head + #"{"errcode":310000,"errmsg":"sign"}"#, ending, .dingtalk).outcome
        #expect(refused.kind == .rejected && refused.reason.contains("sign"))
    }

    @Test func `a certificate that is not trusted is named without advice for other commands`() async throws {
        let outcome = try await test("HTTP/1.1 200 OK\r\n\r\n", .announced, isTrusted: false).outcome
        #expect(outcome.kind == .unreachable && outcome.reason.contains("not trusted"))
        #expect(!outcome.reason.contains("--ca-file"))
    }

    @Test(arguments: [13, 64 << 10, (64 << 10) + 1, 1 << 20])
    func `a long response is a delivery, of which the server keeps a part`(size: Int) async throws {
        let body = Array(#"{"errcode":0}"#.utf8) + [UInt8](repeating: 0x20, count: size - 13)
        let receiver = TinyServer { _ in .response(200, [:], body) }
        let delivery = try await test(receiver.base, .dingtalk)
        #expect(delivery.outcome.kind == .delivered)
    }
}
