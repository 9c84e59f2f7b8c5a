import Domain
import Ground
import HTTP

extension OperationGroup {
    static let tokens = OperationGroup(
        name: "Tokens", text: "Tokens authorize requests.",
        operations: [
            Operation(
                route: "GET /token", id: "getOwnToken", summary: "Describes the token of the request",
                responses: [
                    .ok(
                        .object(
                            ["id": Schema.id.orNull, "actor": .text, "role": .choice(Role.self)],
                            optional: ["app": .name, "channel": .name, "expiresAt": .time]),
                        #"{"id": 2, "actor": "ci (#2)", "role": "publisher"}"#)
                ]),
            Operation(
                route: "GET /tokens", id: "listTokens", summary: "Lists tokens",
                responses: [.list("tokens", of: "Token", #"{"tokens": [\#(token)]}"#)],
                parameters: ["state": .choice(["active", "expired", "revoked"]), "role": .choice(Role.self)]),
            Operation(
                route: "GET /tokens/{id}", id: "getToken", summary: "Returns one token, without its secret",
                responses: [.ok(.named("Token"), token)]),
            Operation(
                route: "POST /tokens", id: "createToken", summary: "Creates a token",
                details: "Only this response has the secret.",
                body: .json(
                    .object(
                        ["name": .text(1...Token.maximumNameLength), "role": .choice(Role.self)],
                        optional: [
                            "app": Schema.name.orNull, "channel": Schema.name.orNull, "expiresAt": Schema.time.orNull,
                        ]),
                    #"{"name": "ci", "role": "publisher"}"#),
                responses: [.created(.named("Token"), token), .ok(.named("Token"), token)],
                errors: [.appNotFound, .channelNotFound]),
            Operation(
                route: "PATCH /tokens/{id}", id: "changeToken", summary: "Changes the name or the expiry of a token",
                body: .json(
                    .object(
                        [:],
                        optional: [
                            "name": Schema.text(1...Token.maximumNameLength).orNull, "expiresAt": Schema.time.orNull,
                        ]),
                    #"{"expiresAt": null}"#),
                responses: [.ok(.named("Token"), token)]),
            Operation(
                route: "POST /tokens/{id}/rotate", id: "rotateToken", summary: "Gives a token a new secret",
                details: "Only this response has the new secret. The former one stays valid for a while.",
                body: .json(
                    .object([:], optional: ["overlapSeconds": Schema.integer(Token.overlapSeconds).orNull]),
                    #"{"overlapSeconds": 3600}"#, isRequired: false),
                responses: [.ok(.named("Token"), token)]),
            Operation(
                route: "DELETE /tokens/{id}", id: "revokeToken", summary: "Revokes a token",
                responses: [.ok(.named("Token"), token)]),
        ],
        schemas: [
            (
                "Token",
                .shown(
                    ["id": .id, "name": .text, "role": .choice(Role.self), "createdAt": .time],
                    optional: [
                        "app": .name, "channel": .name, "owner": .text, "expiresAt": .time, "lastUsedAt": .time,
                        "previousSecretExpiresAt": .time, "revokedAt": .time, "token": .text,
                    ])
            )
        ])

    static let ciTrusts = OperationGroup(
        name: "CI trusts", text: "CI jobs get short-lived tokens for their identity tokens.",
        operations: [
            Operation(
                route: "POST /ci-tokens", id: "exchangeIdentityToken",
                summary: "Gives a CI job a token for its identity token",
                details: "The identity token proves who calls. Only this response has the secret.",
                body: .json(
                    .object(["trust": .name, "identityToken": .text]),
                    #"{"trust": "github", "identityToken": "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"}"#),
                responses: [.created(.named("Token"), token)], errors: [.busy]),
            Operation(
                route: "GET /ci-trusts", id: "listCITrusts", summary: "Lists the CI trusts",
                responses: [.list("ciTrusts", of: "CITrust", #"{"ciTrusts": [\#(trust)]}"#)]),
            Operation(
                route: "GET /ci-trusts/{trust}", id: "getCITrust", summary: "Returns one CI trust",
                responses: [.ok(.named("CITrust"), trust)]),
            Operation(
                route: "PUT /ci-trusts/{trust}", id: "putCITrust", summary: "Creates or replaces a CI trust",
                details: "Replacing a trust ends the tokens of its jobs.",
                body: .json(
                    .object(
                        [
                            "issuer": .text(1...CITrust.maximumIssuerLength),
                            "audience": .text(1...CITrust.maximumAudienceLength), "claims": .map(.text),
                            "role": .choice([.viewer, .publisher, .releaser].map(\Role.rawValue)),
                        ],
                        optional: [
                            "app": Schema.name.orNull, "channel": Schema.name.orNull,
                            "lifetimeSeconds": Schema.integer(CITrust.lifetimes).orNull,
                        ]),
                    #"{"issuer": "https://token.actions.githubusercontent.com", "audience": "https://larder.example", "#
                        + #""claims": {"repository": "acme/shop"}, "role": "publisher", "app": "default"}"#),
                responses: Operation.put("CITrust", trust), errors: [.appNotFound, .channelNotFound, .busy]),
            Operation(
                route: "DELETE /ci-trusts/{trust}", id: "deleteCITrust", summary: "Deletes a CI trust",
                details: "This ends the tokens of its jobs.", responses: [.ok(.named("CITrust"), trust)],
                errors: [.busy]),
        ],
        schemas: [
            (
                "CITrust",
                .shown(
                    [
                        "name": .text, "issuer": .text, "audience": .text, "claims": .map(.text),
                        "role": .choice(Role.self), "lifetimeSeconds": .integer(CITrust.lifetimes),
                    ], optional: ["app": .name, "channel": .name])
            )
        ])

    private static let token =
        #"{"id": 2, "name": "ci", "role": "publisher", "createdAt": "2026-11-21T07:32:27.827Z"}"#
    private static let trust =
        #"{"name": "github", "issuer": "https://token.actions.githubusercontent.com", "#
        + #""audience": "https://larder.example", "claims": {"repository": "acme/shop"}, "role": "publisher", "#
        + #""app": "default", "lifetimeSeconds": 900}"#
}
