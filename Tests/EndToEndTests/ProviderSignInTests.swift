import Foundation
import TestKit
import Testing

extension EndToEnd {
    /// Tests signing in by a real provider of OpenID Connect, by the script `sign_in.py`.
    @Suite struct ProviderSignInTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "EndToEnd/sign_in.py").path

        /// The time limit, far above the usual two minutes, because a busy machine is no failure.
        private static let patience = Duration.seconds(420)

        @Test func `people sign in by a provider, and only as themselves`() throws {
            // The name makes the server another site than the provider, whose issuer is an address.
            let port = ListeningSocket().port
            let base = "http://localhost:\(port)"
            let server = try Server(
                listen: "127.0.0.1:\(port)",
                options: ["--public-url", base, "--webhook-networks", "127.0.0.0/8"])
            let outcome = try Program.run(
                ["python3", Self.script, base, server.token, ScratchDirectory.path], upTo: Self.patience)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errorOutput) \(server.log)")
            #expect(!server.log.contains("state="), "\(server.log)")
        }

        @Test func `without a public URL the error names the option`() throws {
            let server = try Server(options: ["--webhook-networks", "127.0.0.0/8"])
            let issuer = try TestIssuer()
            issuer.publish(try issuer.makeKey("one"))
            let provider = """
                {"issuer": "\(issuer.url)", "label": "Acme", "clientId": "larder", "clientSecret": "secret",
                 "groups": [{"group": "staff", "grants": [{"role": "viewer"}]}]}
                """
            #expect(try server.call("PUT", "/sign-in-providers/acme", provider).status == 201)
            let response = try server.get("/api/v1/session/oidc/acme")
            #expect(response.status == 409, "\(response.text)")
            #expect(response.text.contains("public-url-required") && response.text.contains("--public-url"))
        }
    }
}
