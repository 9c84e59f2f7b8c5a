import Client
import Domain

/// `larder token`: makes, lists and revokes operators' tokens.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "create, list and revoke tokens"
    static let help = """
        usage: larder token create --name NAME --role publisher|releaser|admin [OPTION …]
               larder token list [OPTION …]
               larder token revoke ID [OPTION …]

        A publisher publishes and reads; a releaser releases as well; an admin also has keys, tokens and apps. The
        token's secret is printed this once. Needs the token of an admin.

        \(ServerOptions.help)
          --json             print JSON
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        guard let verb = arguments.first else { throw .usage("say create, list or revoke") }
        let parsed = try Arguments(
            Array(arguments.dropFirst()), valued: ServerOptions.valued.union(["--name", "--role"]), flags: ["--json"])
        switch verb {
        case "create": try create(parsed)
        case "list": try list(parsed)
        case "revoke": try revoke(parsed)
        default: throw .usage("'\(verb)' is none of create, list, revoke")
        }
        return .success
    }

    private static func create(_ parsed: Arguments) throws(CommandError) {
        try parsed.refusePositional(past: 0)
        guard let name = parsed["--name"] else { throw .usage("--name is needed, to tell the token by") }
        guard let role = parsed["--role"].flatMap(Role.init(rawValue:)) else {
            throw .usage("--role must be one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let client = try ServerOptions(parsed).client()
        let made = try CommandError.asking { () throws(OperatorsError) in try client.createToken(name: name, role: role)
        }
        let json = JSON.object((json(made.token).members ?? []) + [.init("token", .string(made.secret))])
        Terminal.out(parsed.has("--json") ? json.text : made.secret)
    }

    private static func list(_ parsed: Arguments) throws(CommandError) {
        try parsed.refusePositional(past: 0)
        let client = try ServerOptions(parsed).client()
        let tokens = try CommandError.asking { () throws(OperatorsError) in try client.tokens() }
        if parsed.has("--json") {
            Terminal.out(JSON.array(tokens.map(json)).text)
            return
        }
        for token in tokens {
            let state = token.revokedAt.map { "revoked \($0)" } ?? "valid"
            Terminal.out("#\(token.id)  \(token.role.rawValue)  \(token.name)  made \(token.createdAt)  \(state)")
        }
    }

    private static func revoke(_ parsed: Arguments) throws(CommandError) {
        guard let id = parsed.positional.first.flatMap({ Int64($0) }) else {
            throw .usage("name the number of the token to revoke; 'larder token list' shows it")
        }
        try parsed.refusePositional(past: 1)
        let client = try ServerOptions(parsed).client()
        let token = try CommandError.asking { () throws(OperatorsError) in try client.revokeToken(id) }
        Terminal.out(parsed.has("--json") ? json(token).text : "revoked #\(token.id) \(token.name)")
    }

    private static func json(_ token: Token) -> JSON {
        .object([
            "id": .integer(token.id), "name": .string(token.name), "role": .string(token.role.rawValue),
            "createdAt": .string(token.createdAt.rfc3339), "revokedAt": token.revokedAt.map { .string($0.rfc3339) },
        ])
    }
}
