import HTTP

/// The command `larder sign-in-provider`, which manages the providers of OpenID Connect by which people sign in.
enum SignInProviderCommand: Command {
    static let name = "sign-in-provider"
    static let summary = "let people sign in by OpenID Connect, with grants by their groups"
    static let about = """
        A sign-in provider is an OpenID Connect issuer such as Keycloak, at which this server is a client. People get the
        grants of their groups each time they sign in (docs/operations.md). At the provider, enter the redirect URI
        https://HOST/api/v1/session/oidc/NAME/callback. All verbs require an admin's token.
        """

    private static let columns = [
        Column("name", "name", .whole), Column("label", "label"), Column("issuer", "issuer"),
        Column("client", "clientId"),
    ]

    private static let fields = [
        Field("--issuer", "URL", "the issuer, such as https://id.example.com/realms/acme", isRequired: true),
        Field("--label", "TEXT", "the name that the sign-in page shows", isRequired: true),
        Field("--client-id", "ID", "the id of this server's client at the provider", isRequired: true),
        Field(
            "--client-secret-file", "PATH",
            "a file with the secret of the client, or /dev/stdin; a change of the same issuer and client may omit it",
            .file, as: "clientSecret"),
        Field(
            "--groups", "JSON",
            #"the grants of groups, such as [{"group": "release-managers", "grants": [{"role": "releaser"}]}]"#, .json,
            isRequired: true),
        Field("--scopes", "SCOPE,…", "the scopes to ask for (default openid,profile,email,groups)", .list),
        Field(
            "--user-claim", "NAME", "the claim that names new users (default preferred_username, else email)"),
        Field("--groups-claim", "NAME", "the claim with the groups of a person (default groups)"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all sign-in providers", "GET /sign-in-providers",
                [.filter("--text", "TEXT", "only those with this text in the name, the label or the issuer")],
                .table("signInProviders", columns)),
            .request("show", "show one sign-in provider", "GET /sign-in-providers/{provider}", [], .details),
            .request(
                "put", "create or replace a sign-in provider, which ends the sessions of its users",
                "PUT /sign-in-providers/{provider}", fields, .details, isRisky: true),
            .request(
                "delete", "delete a sign-in provider, which ends the sessions of its users",
                "DELETE /sign-in-providers/{provider}", [],
                .line("deleted the sign-in provider {name}", dryRun: "would delete the sign-in provider {name}"),
                isRisky: true),
        ]
    }
}
