import Client
import Domain
import Ground

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

        'create' prints the secret of the token, which cannot be shown again. 'revoke' takes ID, the number that 'list'
        shows. All verbs require an admin's token.
        """

    static var verbs: [Verb] {
        [
            Verb(
                "create",
                Parameter(
                    .required("--name", "NAME", "a name that identifies the token in lists and in the audit log"),
                    .required("--role", "ROLE", "one of " + Role.allCases.map(\.rawValue).joined(separator: ", ")),
                    .actingServer,
                    .json)
            ) { name, role, client, isJSON throws(CommandError) in
                try create(name, role, client, isJSON)
                return .success
            },
            Verb("list", Parameter(.server, .json)) { client, isJSON throws(CommandError) in
                try list(client, isJSON)
                return .success
            },
            Verb(
                "revoke",
                Parameter(
                    .number("ID", "the number of the token is missing or not a number; 'larder token list' shows it"),
                    .actingServer,
                    .json)
            ) { id, client, isJSON throws(CommandError) in
                let token = try CommandError.asking { () throws(OperatorsError) in try client.revokeToken(id) }
                let verb = client.isDryRun ? "dry run, nothing was changed: would revoke" : "revoked"
                Terminal.out(isJSON ? json(token, client).text : "\(verb) #\(token.id) \(token.name)")
                return .success
            },
        ]
    }

    private static func create(
        _ name: String, _ role: String, _ client: OperatorsClient, _ isJSON: Bool
    ) throws(CommandError) {
        guard let role = Role(rawValue: role) else {
            throw .usage("--role must be one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let made = try CommandError.asking { () throws(OperatorsError) in try client.createToken(name: name, role: role)
        }
        guard !client.isDryRun else {
            let line = "dry run, nothing was changed: would create \(made.token.name), \(role.rawValue)"
            return Terminal.out(isJSON ? json(made.token, client).text : line)
        }
        let json = JSON.object((json(made.token, client).members ?? []) + [.init("token", .string(made.secret))])
        Terminal.out(isJSON ? json.text : made.secret)
    }

    private static func list(_ client: OperatorsClient, _ isJSON: Bool) throws(CommandError) {
        let tokens = try CommandError.asking { () throws(OperatorsError) in try client.tokens() }
        if isJSON {
            Terminal.out(JSON.array(tokens.map { json($0, client) }).text)
            return
        }
        for token in tokens {
            let state = token.revokedAt.map { "revoked \($0)" } ?? "valid"
            Terminal.out("#\(token.id)  \(token.role.rawValue)  \(token.name)  created \(token.createdAt)  \(state)")
        }
    }

    private static func json(_ token: Token, _ client: OperatorsClient) -> JSON {
        .object([
            "id": .integer(token.id), "name": .string(token.name), "role": .string(token.role.rawValue),
            "createdAt": .string(token.createdAt.rfc3339), "revokedAt": token.revokedAt.map { .string($0.rfc3339) },
            "dryRun": client.isDryRun ? true : nil,
        ])
    }
}
