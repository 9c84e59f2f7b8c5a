import Domain
import Ground
import HTTP

extension OperationGroup {
    static let signInProviders = OperationGroup(
        name: "Sign-in providers", text: "People sign in by OpenID Connect, and get the grants of their groups.",
        operations: providers + browser,
        schemas: [
            ("GroupGrants", .object(["group": .text, "grants": .array(.named("Grant"), upTo: User.maximumGrants)])),
            (
                "SignInProvider",
                .shown([
                    "name": .text, "issuer": .text, "label": .text, "clientId": .text, "scopes": .array(.text),
                    "userClaim": .text, "groupsClaim": .text,
                    "groups": .array(.named("GroupGrants"), upTo: SignInProvider.maximumGroups),
                ])
            ),
        ])

    private static let providers = [
        Operation(
            route: "GET /sign-in-providers", id: "listSignInProviders", summary: "Lists the sign-in providers",
            responses: [
                .list("signInProviders", of: "SignInProvider", #"{"signInProviders": [\#(provider)]}"#)
            ]),
        Operation(
            route: "GET /sign-in-providers/{provider}", id: "getSignInProvider",
            summary: "Returns one sign-in provider",
            details: "No response has the client secret.", responses: [.ok(.named("SignInProvider"), provider)]),
        Operation(
            route: "PUT /sign-in-providers/{provider}", id: "putSignInProvider",
            summary: "Creates or replaces a sign-in provider",
            details: "Replacing a provider ends the sessions of its users.",
            body: .json(
                .object(
                    [
                        "issuer": .text(1...CITrust.maximumIssuerLength), "label": text, "clientId": text,
                        "groups": .array(.anyObject, upTo: SignInProvider.maximumGroups),
                    ],
                    optional: [
                        "clientSecret": Schema.text(1...ClientSecret.maximumLength).orNull,
                        "scopes": Schema.array(text, upTo: SignInProvider.maximumScopes).orNull,
                        "userClaim": text.orNull, "groupsClaim": text.orNull,
                    ]),
                #"{"issuer": "https://id.example.com/realms/acme", "label": "Acme", "clientId": "larder", "#
                    + #""clientSecret": "b7c1…", "groups": [{"group": "release-managers", "#
                    + #""grants": [{"role": "releaser"}]}]}"#),
            responses: Operation.put("SignInProvider", provider), errors: [.appNotFound, .channelNotFound, .busy]),
        Operation(
            route: "DELETE /sign-in-providers/{provider}", id: "deleteSignInProvider",
            summary: "Deletes a sign-in provider", details: "This ends the sessions of its users.",
            responses: [.ok(.named("SignInProvider"), provider)], errors: [.busy]),
    ]

    private static let browser = [
        Operation(
            route: "GET /session/providers", id: "listSessionProviders",
            summary: "Lists the sign-in providers for the sign-in page",
            responses: [
                .ok(
                    .object(["providers": .array(.object(["name": .text, "label": .text]))]),
                    #"{"providers": [{"name": "acme", "label": "Acme"}]}"#)
            ]),
        Operation(
            route: "GET /session/oidc/{provider}", id: "beginProviderSignIn",
            summary: "Redirects a browser to a sign-in provider",
            details:
                "The response sets a cookie, which the callback needs. A failure redirects a browser to the console.",
            responses: [redirect],
            errors: [.providerUnavailable, .publicURLRequired, .crossSiteRequest, .storageFull]),
        Operation(
            route: "GET /session/oidc/{provider}/callback", id: "endProviderSignIn",
            summary: "Signs a person in after the provider has redirected back",
            details: "The response sets the cookie of the session. Other parameters are ignored. A failure redirects a "
                + "browser to the console.",
            responses: [redirect],
            errors: [
                .signInExpired, .signInRefused, .noMatchingGroup, .userDisabled, .userExists, .conflict,
                .providerUnavailable, .publicURLRequired, .busy, .storageFull, .appNotFound, .channelNotFound,
            ],
            parameters: [
                "state": .text, "code": .text,
            ]),
    ]

    private static let redirect: Operation.Outcome = {
        var outcome = Operation.Outcome(status: .seeOther, text: "A redirect")
        outcome.fields = ["Location", "Set-Cookie"]
        return outcome
    }()

    private static let text = Schema.text(1...SignInProvider.maximumTextLength)
    private static let provider =
        #"{"name": "acme", "issuer": "https://id.example.com/realms/acme", "label": "Acme", "clientId": "larder", "#
        + #""scopes": ["openid", "profile", "email", "groups"], "userClaim": "preferred_username", "#
        + #""groupsClaim": "groups", "groups": [{"group": "release-managers", "grants": [{"role": "releaser"}]}]}"#
}
