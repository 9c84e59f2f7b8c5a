import Domain

/// The command `larder token`, which creates, lists and revokes operators' tokens.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "create, list and revoke access tokens"
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
        Column("created", "createdAt", .time), Column("revoked", "revokedAt", .time),
    ]

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
                ],
                .line("{token}", dryRun: "would create {name}, {role}")),
            .request("list", "show all tokens", "GET /tokens", [], .table("tokens", columns, isBare: true)),
            .request(
                "revoke", "reject a token from now on", "DELETE /tokens/{id}", [],
                .line("revoked #{id} {name}", dryRun: "would revoke #{id} {name}"), isRisky: true),
        ]
    }
}
