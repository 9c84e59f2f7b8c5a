import Foundation
import Ground
import TestKit
import Testing

extension EndToEnd {
    /// Tests webhooks with the program.
    @Suite struct WebhookTests {
        private struct Made: Decodable { let id: Int, secret: String? }
        private struct Attempt: Decodable { let outcome: String, status: Int?, reason: String? }

        private func make(_ url: String, at server: Server) throws -> Made {
            let response = try server.call("POST", "/apps/default/webhooks", #"{"url": "\#(url)"}"#)
            try #require(response.status == 201, "\(response.text)")
            return try response.json(as: Made.self)
        }

        private func test(_ webhook: Made, at server: Server) throws -> Attempt {
            try server.call("POST", "/apps/default/webhooks/\(webhook.id)/test").json(as: Attempt.self)
        }

        @Test func `changes arrive while the server runs, past the proxies of its environment`() throws {
            let receiver = TinyServer { _ in .response(200) }
            let server = try Server(
                options: ["--webhook-networks", "127.0.0.1"],
                environment: ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"])
            _ = try make(receiver.base + "/hook", at: server)
            try server.putPackage("news")
            let end = ContinuousClock.now + .seconds(10)
            while receiver.requests.isEmpty, ContinuousClock.now < end { usleep(20_000) }
            let body = String(decoding: try #require(receiver.requests.first).body, as: UTF8.self)
            #expect(body.contains(#""type":"package.put""#) && body.contains(#""subject":"news""#))
            #expect(receiver.requests.first?.path == "/hook")
        }

        @Test func `a name whose address changes after it was resolved reaches no address that is not permitted`()
            throws
        {
            let library = "\(ScratchDirectory.path)/moved-name.so"
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "moved-name.c")
            let compiler = Program.isInstalled("cc") ? "cc" : "clang"
            try Program.succeed([compiler, "-shared", "-fPIC", "-O2", "-o", library, source.path])
            let receiver = TinyServer(host: 2) { _ in .response(200) }
            let forbidden = TinyServer(port: receiver.port) { _ in .response(200) }
            let server = try Server(
                options: ["--webhook-networks", "127.0.0.2"], environment: ["LD_PRELOAD": library])
            let webhook = try make("http://moving.test:\(receiver.port)/", at: server)
            // Each attempt resolves the name once, and connects to that address or to none.
            for _ in 1...3 {
                #expect(try test(webhook, at: server).outcome == "delivered")
                let refused = try test(webhook, at: server)
                #expect(refused.outcome == "forbidden" && refused.reason?.contains("127.0.0.1") == true)
            }
            #expect(receiver.requests.count == 3 && forbidden.connections == 0)
        }

        @Test func `without the setting, a webhook on the server's own machine is refused`() throws {
            let server = try Server()
            let refused = try server.call(
                "POST", "/apps/default/webhooks", #"{"url": "http://127.0.0.1:\#(server.port)/api/v1/apps"}"#)
            #expect(refused.status == 400 && refused.text.contains("--webhook-networks"))
            let named = try make("http://localhost:\(server.port)/api/v1/apps", at: server)
            #expect(try test(named, at: server).outcome == "forbidden")
        }
    }
}
