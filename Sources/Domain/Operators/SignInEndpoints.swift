package import Ground

/// The endpoints of a provider, from its description (OpenID Connect Discovery §3).
package struct SignInEndpoints: Sendable, Equatable {
    /// The way in which a client proves its secret to the token endpoint.
    package enum ClientAuthentication: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    package let authorization: String
    package let token: String
    /// The URL of further claims of a person; `nil` if the provider has none.
    package let userInfo: String?
    package let authentication: ClientAuthentication
    /// Whether each callback names the issuer (RFC 9207).
    package let namesIssuer: Bool

    /// Returns the endpoints of a description; throws a sentence about what is missing.
    package init(_ document: JSON) throws(Fault) {
        guard let authorization = document["authorization_endpoint"]?.string else {
            throw Fault("it has no 'authorization_endpoint'")
        }
        guard let token = document["token_endpoint"]?.string else { throw Fault("it has no 'token_endpoint'") }
        let methods = document["token_endpoint_auth_methods_supported"]?.elements?.compactMap(\.string)
        let known = ClientAuthentication.allCases.first { methods?.contains($0.rawValue) ?? ($0 == .basic) }
        guard let known else { throw Fault("its 'token_endpoint' accepts no client secret") }
        self.authorization = authorization
        self.token = token
        userInfo = document["userinfo_endpoint"]?.string
        authentication = known
        namesIssuer = document["authorization_response_iss_parameter_supported"] == true
    }

    package struct Fault: Error, Equatable {
        package let text: String

        package init(_ text: String) { self.text = text }
    }

    /// The URLs of all endpoints.
    package var urls: [String] { [authorization, token] + (userInfo.map { [$0] } ?? []) }

    /// Returns the URL to which a browser goes to sign in.
    package func authorizationURL(
        for provider: SignInProvider, callback: String, _ secrets: SignInSecrets, by cryptography: any Cryptography
    ) -> String {
        let query = Self.form([
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", callback),
            ("scope", provider.scopes.joined(separator: " ")), ("state", secrets.state),
            ("nonce", secrets.nonce(by: cryptography)), ("code_challenge", secrets.challenge(by: cryptography)),
            ("code_challenge_method", "S256"),
        ])
        return authorization + (authorization.contains("?") ? "&" : "?") + query
    }

    /// Returns the body and the value of `Authorization` of the request that exchanges a code for an ID token.
    package func exchange(
        _ code: String, of provider: SignInProvider, _ secret: ClientSecret, callback: String, verifier: String
    ) -> (form: String, authorization: String?) {
        var members = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("code_verifier", verifier),
        ]
        switch authentication {
        case .post:
            members += [("client_id", provider.clientID), ("client_secret", secret.text)]
            return (Self.form(members), nil)
        case .basic:
            let pair = [provider.clientID, secret.text].map { PercentEncoding.encode($0.utf8) }.joined(separator: ":")
            return (Self.form(members), "Basic \(Base64.encode(Array(pair.utf8)))")
        }
    }

    private static func form(_ members: [(String, String)]) -> String {
        members.map { "\($0)=\(PercentEncoding.encode($1.utf8))" }.joined(separator: "&")
    }
}
