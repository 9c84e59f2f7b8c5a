import Domain

/// The command `larder token`, which creates, lists and revokes operators' tokens.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "create, list, rotate and revoke access tokens"
    static let about = """
        A token authenticates an operator or a CI job. Its role determines what it may do:

          viewer     read everything except single devices, keys, tokens and the audit log
          publisher  also publish versions, and create packages
          releaser   also release versions, and make changes that take effect on devices at once
          admin      also create apps, manage keys and tokens, prune, and read the audit log

        'create' prints the secret of the token, which cannot be shown again. ID is the number that 'list' shows. All
        verbs require an admin's token.
        """

    private static let columns = [
        Column("id", "id", .number), Column("name", "name"), Column("role", "role", .whole),
        Column("created", "createdAt", .time), Column("expires", "expiresAt", .time),
        Column("used", "lastUsedAt", .time), Column("app", "app"), Column("channel", "channel"),
        Column("revoked", "revokedAt", .time),
    ]
    private static let expiry = Field(
        "--expires", "TIME", "the end of its validity, such as 2027-01-31T00:00:00Z", as: "expiresAt")

    static var verbs: [Verb] {
        [
            .request(
                "create", "create a token, and print its secret", "POST /tokens",
                [
                    Field(
                        "--name", "NAME", "a name that identifies the token in lists and in the audit log",
                        isRequired: true),
                    Field(
                        "--role", Role.allCases.map(\.rawValue).joined(separator: "|"), "what it may do",
                        isRequired: true),
                    Field("--app", "ID", "the only app that it is for (default: all)"),
                    Field("--channel", "NAME", "with --app: the only channel that it is for (default: all)"), expiry,
                ],
                .line("{token}", dryRun: "would create {name}, {role}")),
            .request(
                "list", "show all tokens", "GET /tokens",
                [
                    .filter("--role", "ROLE", "only those with this role"),
                    .filter("--state", "active|expired|revoked", "only those in this state"), .sort("id", "name"),
                ], .table("tokens", columns, isBare: true)),
            .request("show", "show one token", "GET /tokens/{id}", [], .details),
            .request(
                "change", "change the name or the end of a token", "PATCH /tokens/{id}",
                [Field("--name", "NAME", "the name"), expiry], .details),
            .request(
                "rotate", "replace the secret of a token, and print the new one", "POST /tokens/{id}/rotate",
                [
                    Field(
                        "--overlap-seconds", "N", "the seconds for which the previous secret stays valid", .number)
                ],
                .line("{token}", dryRun: "would replace the secret of #{id} {name}"), isRisky: true),
            .request(
                "revoke", "reject a token from now on", "DELETE /tokens/{id}", [],
                .line("revoked #{id} {name}", dryRun: "would revoke #{id} {name}"), isRisky: true),
        ]
    }
}
