import Client
import Domain
import Ground

/// The command `larder token`, which creates, lists and revokes operators' tokens.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "create, list and revoke tokens"
    static let about = """
        A publisher publishes and reads; a releaser releases as well; an admin also has keys, tokens and apps. The
        token's secret is printed this once. Needs the token of an admin.
        """

    static var verbs: [Verb] {
        [
            Verb(
                "create",
                Parameter(
                    .required("--name", "NAME", "what the token is told by"),
                    .required("--role", "ROLE", Role.allCases.map(\.rawValue).joined(separator: ", ")), .actingServer,
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
                    .number("ID", "name the number of the token to revoke; 'larder token list' shows it"),
                    .actingServer,
                    .json)
            ) { id, client, isJSON throws(CommandError) in
                let token = try CommandError.asking { () throws(OperatorsError) in try client.revokeToken(id) }
                let verb = client.isDryRun ? "dry run, nothing is changed: would revoke" : "revoked"
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
            let line = "dry run, nothing is changed: would create \(made.token.name), \(role.rawValue)"
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
            Terminal.out("#\(token.id)  \(token.role.rawValue)  \(token.name)  made \(token.createdAt)  \(state)")
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
