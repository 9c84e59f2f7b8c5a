import Artifacts
import Domain
import Ground
import Testing

/// Tests the rules of signing in by a provider that need neither network nor database.
struct SignInTests {
    private let cryptography = OpenSSLCryptography()

    private func endpoints(_ text: String) throws -> SignInEndpoints {
        try SignInEndpoints(try #require(JSON(parsing: Array(text.utf8))))
    }

    @Test func `a description has the endpoints and the way to prove the client`() throws {
        let start = #"{"authorization_endpoint": "https://a/", "token_endpoint": "https://t/""#
        let standard = try endpoints(start + "}")
        #expect(standard.authentication == .basic && standard.userInfo == nil && !standard.namesIssuer)
        let post = try endpoints(
            start + #", "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]}"#)
        #expect(post.authentication == .post)
        let both = try endpoints(
            start + #", "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]}"#)
        #expect(both.authentication == .basic)
        for text in [
            #"{"token_endpoint": "https://t/"}"#, #"{"authorization_endpoint": "https://a/"}"#,
            start + #", "token_endpoint_auth_methods_supported": ["none"]}"#,
        ] {
            #expect(throws: SignInEndpoints.Fault.self) { try endpoints(text) }
        }
    }

    @Test func `the challenge is the SHA-256 of the verifier, and nothing of it is in the state`() throws {
        let secrets = SignInSecrets(by: cryptography)
        let verifier = secrets.verifier(by: cryptography)
        #expect((43...128).contains(verifier.utf8.count))
        let challenge = try #require(Base64.decodeForURL(secrets.challenge(by: cryptography)))
        #expect(challenge == cryptography.sha256(Array(verifier.utf8)).bytes)
        let same = try #require(SignInSecrets(state: secrets.state, browser: secrets.browser))
        #expect(same.verifier(by: cryptography) == verifier)
        #expect(same.nonce(by: cryptography) == secrets.nonce(by: cryptography))
        let others = [
            try #require(SignInSecrets(state: secrets.browser, browser: secrets.browser)),
            try #require(SignInSecrets(state: secrets.state, browser: secrets.state)), SignInSecrets(by: cryptography),
        ]
        for other in others {
            #expect(other.verifier(by: cryptography) != verifier)
            #expect(other.nonce(by: cryptography) != secrets.nonce(by: cryptography))
        }
        #expect(Set([secrets.state, secrets.browser, verifier, secrets.nonce(by: cryptography)]).count == 4)
        for text in ["", String(secrets.state.dropLast()), secrets.state + "0", String(repeating: "g", count: 64)] {
            #expect(SignInSecrets(state: text, browser: secrets.browser) == nil)
            #expect(SignInSecrets(state: secrets.state, browser: text) == nil)
        }
    }

    @Test func `a person has the grants of all groups, each once`() throws {
        let viewer = Grant(.viewer, on: .everything)
        let provider = SignInProvider(
            name: try #require(SignInProviderName("acme")), issuer: "https://a", label: "A", clientID: "c", scopes: [],
            userClaim: "nick", groupsClaim: "groups",
            groups: [
                try #require(GroupGrants(group: "a", grants: [viewer])),
                try #require(GroupGrants(group: "b", grants: [Grant(.admin, on: .everything), viewer])),
            ])
        #expect(provider.grants(of: ["b", "a", "c"]) == [viewer, Grant(.admin, on: .everything)])
        #expect(provider.grants(of: ["A", "a "]).isEmpty)
        func name(_ text: String) throws -> String? {
            let claims = IdentityClaims(try #require(JSON(parsing: Array(text.utf8))))
            return try? provider.userName(in: claims).text
        }
        #expect(try name(#"{"nick": "Ann.Lee", "email": "x@y"}"#) == "ann.lee")
        #expect(try name(#"{"email": "Ann@Y"}"#) == "ann@y")
        #expect(try name(#"{"nick": "Ånn", "email": "x@y"}"#) == nil)
        #expect(try name(#"{"sub": "x"}"#) == nil)
    }

    @Test func `groups are a list of texts or one text`() throws {
        func groups(_ text: String) throws -> [String]? {
            IdentityClaims(try #require(JSON(parsing: Array(text.utf8)))).texts(of: "groups")
        }
        #expect(try groups(#"{"groups": ["a", 1, "b"]}"#) == ["a", "b"])
        #expect(try groups(#"{"groups": "a"}"#) == ["a"] && groups(#"{"groups": []}"#) == [])
        #expect(try groups("{}") == nil && groups(#"{"groups": {"a": 1}}"#) == nil)
    }

    @Test func `a secret has visible characters and shows itself nowhere`() {
        #expect(ClientSecret("") == nil && ClientSecret("a b") == nil && ClientSecret("ä") == nil)
        let longest = String(repeating: "a", count: ClientSecret.maximumLength)
        #expect(ClientSecret(longest) != nil && ClientSecret(longest + "a") == nil)
        #expect(!"\(String(describing: ClientSecret("hidden")))".contains("hidden"))
    }
}
