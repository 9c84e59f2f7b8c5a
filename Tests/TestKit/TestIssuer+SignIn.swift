package import Domain
package import Ground
import Synchronization

extension TestIssuer {
    /// The client that the issuer knows; the secret has characters that forms encode.
    package static let client = "larder client"
    package static let clientSecret = "a+b%c:d&e"

    /// The sign-ins of people whose codes wait to be exchanged.
    struct SignIns: Sendable {
        struct Pending: Sendable {
            let idToken: String
            let redirect: String
            let challenge: String
            let digest: @Sendable ([UInt8]) -> SHA256Digest
        }

        var pending: [String: Pending] = [:]
        var claims: JSON?
        var method = SignInEndpoints.ClientAuthentication.basic
        var namesIssuer = false
        /// Whether a code may be exchanged again, so that a test sees what the server itself refuses.
        var acceptsReplays = false
        /// The status of every response of the token endpoint; `nil` for the right one.
        var status: Int?

        func description(of issuer: String) -> [JSON.Member] {
            [
                .init("authorization_endpoint", .string(issuer + "/authorize?tenant=a")),
                .init("token_endpoint", .string(issuer + "/token")),
                .init("userinfo_endpoint", .string(issuer + "/userinfo")),
                .init("token_endpoint_auth_methods_supported", .array([.string(method.rawValue)])),
                .init("authorization_response_iss_parameter_supported", .bool(namesIssuer)),
            ]
        }

        mutating func exchange(_ request: TinyServer.Request) -> TinyServer.Reply {
            if let status { return .response(status) }
            let form = TestIssuer.form(String(decoding: request.body, as: UTF8.self))
            guard isClient(form, request.fields["authorization"]) else { return Self.refusal("invalid_client") }
            guard form["grant_type"] == "authorization_code", let code = form["code"], let known = pending[code],
                form["redirect_uri"] == known.redirect, let verifier = form["code_verifier"],
                Base64.encodeForURL(known.digest(Array(verifier.utf8)).bytes) == known.challenge
            else { return Self.refusal("invalid_grant") }
            if !acceptsReplays { pending[code] = nil }
            let body = JSON.object([
                "id_token": .string(known.idToken), "access_token": "access", "token_type": "Bearer",
            ])
            return .response(200, ["Content-Type": "application/json"], body.bytes())
        }

        private func isClient(_ form: [String: String], _ authorization: String?) -> Bool {
            switch method {
            case .post: return form["client_id"] == client && form["client_secret"] == clientSecret
            case .basic:
                let pair = [client, clientSecret].map { PercentEncoding.encode($0.utf8) }.joined(separator: ":")
                return authorization == "Basic \(Base64.encode(Array(pair.utf8)))" && form["client_secret"] == nil
            }
        }

        private static func refusal(_ error: String) -> TinyServer.Reply {
            .response(400, ["Content-Type": "application/json"], JSON.object(["error": .string(error)]).bytes())
        }

        func userInfo(_ request: TinyServer.Request) -> TinyServer.Reply {
            guard let claims, request.fields["authorization"] == "Bearer access" else { return .response(401) }
            return .response(200, ["Content-Type": "application/json"], claims.bytes())
        }
    }

    /// Lets a person sign in: the code of a request, which the test has read from the redirect, gets an ID token.
    ///
    /// - Parameter digest: SHA-256.
    package func permit(
        _ code: String, for request: [String: String], idToken: String,
        digest: @escaping @Sendable ([UInt8]) -> SHA256Digest
    ) {
        let pending = SignIns.Pending(
            idToken: idToken, redirect: request["redirect_uri"] ?? "", challenge: request["code_challenge"] ?? "",
            digest: digest)
        state.signIns.withLock { $0.pending[code] = pending }
    }

    /// Sets the claims of the userinfo endpoint.
    package func setUserInfo(_ claims: JSON?) { state.signIns.withLock { $0.claims = claims } }

    /// Sets how clients prove their secret.
    package func setMethod(_ method: SignInEndpoints.ClientAuthentication) {
        state.signIns.withLock { $0.method = method }
    }

    /// Sets whether the description promises `iss` in each callback.
    package func setNamesIssuer(_ namesIssuer: Bool) { state.signIns.withLock { $0.namesIssuer = namesIssuer } }

    package func setAcceptsReplays(_ accepts: Bool) { state.signIns.withLock { $0.acceptsReplays = accepts } }

    /// Sets the status of every response of the token endpoint; `nil` for the right one.
    package func setTokenStatus(_ status: Int?) { state.signIns.withLock { $0.status = status } }

    /// Returns the members of a form or a query.
    package static func form(_ text: String) -> [String: String] {
        var members: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = PercentEncoding.decode(Array(parts[1].utf8)[...]) else { continue }
            members[String(parts[0])] = String(decoding: value, as: UTF8.self)
        }
        return members
    }
}
