import Domain
import Ground
import HTTP

/// The command `larder user`, which manages the people who sign in with a password.
enum UserCommand: Command {
    static let name = "user"
    static let summary = "list, create, change and delete people"
    static let about = """
        A person signs in with a password and has grants: a role for everything, for an app, or for a channel. A GRANT is
        ROLE, ROLE:APP or ROLE:APP/CHANNEL, such as releaser:default/beta. The password is asked for, or read from
        standard input. All verbs require an admin's token.
        """

    private static let columns = [
        Column("name", "name", .whole), Column("grants", "grants"), Column("created", "createdAt", .time),
    ]

    private static let changing: Route = "PATCH /users/{user}"

    private static let grants = Parameter<String?>.option(
        "--grants", "GRANT,…", "what the person may do, such as publisher,releaser:default/beta"
    ).map { text throws(CommandError) -> JSON? in
        guard let text else { return nil }
        return .array(try text.split(separator: ",").map { (word) throws(CommandError) in try grant(String(word)) })
    }

    private static func grant(_ text: String) throws(CommandError) -> JSON {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let place = parts.count > 1 ? parts[1].split(separator: "/", maxSplits: 1).map(String.init) : []
        guard let role = parts.first, !role.isEmpty, parts.count == 1 || !place.isEmpty else {
            throw .usage("'\(text)' is not ROLE, ROLE:APP or ROLE:APP/CHANNEL")
        }
        return .object([
            "role": .string(role), "app": place.first.map { .string($0) },
            "channel": place.count > 1 ? .string(place[1]) : nil,
        ])
    }

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all people", "GET /users",
                [.filter("--text", "TEXT", "only those with this text in the name"), .sort("name", "createdAt")],
                .table("users", columns)),
            .request("show", "show one person with the grants", "GET /users/{user}", [], .details),
            Verb(
                "create", "create a person, whose password is asked for",
                Parameter(.operand("USER", "the name of the person is missing"), grants, .acting),
                route: "POST /users"
            ) { name, grants, call throws(CommandError) in
                let password = try Terminal.secret("Password of \(name): ")
                let body = JSON.object([
                    "name": .string(name), "password": .string(password), "grants": grants ?? .array([]),
                ])
                try call.show(try call.ask(.post, "/users", body)) { user throws(CommandError) in
                    Terminal.out("created \(OperatorCall.text(user["name"]))")
                }
                return .success
            },
            Verb(
                "change", "replace the grants of a person, or the password",
                Parameter(
                    .path(of: changing), grants, .flag("--password", "ask for a new password"),
                    .confirmed(.acting)),
                route: changing
            ) { path, grants, changesPassword, call throws(CommandError) in
                guard grants != nil || changesPassword else { throw .usage("give --grants, --password or both") }
                let password = changesPassword ? try Terminal.secret("New password: ") : nil
                let body = JSON.object(["grants": grants, "password": password.map { .string($0) }])
                func show(_ user: JSON, _ call: OperatorCall) throws(CommandError) {
                    try call.show(user) { user throws(CommandError) in
                        for line in Details.lines(user) { Terminal.out(line) }
                    }
                }
                try show(try call.askConfirmed(.patch, path, body, show), call)
                return .success
            },
            .request(
                "delete", "delete a person", "DELETE /users/{user}", [],
                .line("deleted {name}", dryRun: "would delete {name}"), isRisky: true),
        ]
    }
}
