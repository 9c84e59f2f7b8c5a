import Client
import Ground
import HTTP
import Transport

/// The command `larder login`, which stores a token or a session for later commands.
enum LoginCommand: Command {
    static let name = "login"
    static let summary = "sign in by a token or in the browser, and store that for later commands"
    static let about = """
        Asks for a token without showing it, or reads it from standard input if that is no terminal, checks it with the
        server, and stores both in a profile, which becomes the current one: later commands need no --server and no token.
        Enter instead of a token, or --browser, signs in as a user: the command prints a page of the console and a code, and
        waits until you agree there. The session ends after 7 days. Signing in again over a profile ends the session that it had.
        The file is profiles.json below XDG_CONFIG_HOME or ~/.config, in the folder larder; only its owner can read it.
        'larder token create' makes tokens.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .profile, .serverURL, .authorities,
                    .option("--app", "ID", "the app that commands of the profile act on (default: 'default')"),
                    .flag("--browser", "sign in in the browser, and ask for no token"), .json)
            ) { choice, server, authorities, app, isInBrowser, isJSON throws(CommandError) in
                try signIn(choice, server, authorities, app, isInBrowser, isJSON)
                return .success
            }
        ]
    }

    private static func signIn(
        _ choice: ProfileChoice, _ server: String?, _ authorities: String?, _ app: String?, _ isInBrowser: Bool,
        _ isJSON: Bool
    ) throws(CommandError) {
        let name = choice.name ?? ProfileFile.firstName
        guard (1...ProfileFile.longestName).contains(name.count), name.allSatisfy({ !$0.isWhitespace }) else {
            throw .usage("the name of a profile must have 1 to \(ProfileFile.longestName) characters without spaces")
        }
        let former = try ProfileFile().profiles.first { $0.name == name }?.profile
        let environment = Environment.all
        let text =
            server ?? environment["LARDER_SERVER"].flatMap { $0.isEmpty ? nil : $0 } ?? former?.server
            ?? ServerOptions.defaultServer
        let url = try ServerOptions.url(text)
        // Those of another server mean nothing here.
        let own = former.flatMap { (try? HTTPURL($0.server)) == url ? $0 : nil }
        if let former, own == nil, choice.name == nil {
            throw .usage(
                "the profile '\(name)' is for \(former.server); give another name as --profile, or --profile \(name) to "
                    + "replace it")
        }
        let authorities = authorities ?? own?.authorities
        let transport = HTTPClient(authorities: authorities, environment: environment)
        let entered = isInBrowser ? nil : try enteredToken(of: url)
        let token: String
        if let entered {
            token = entered
        } else {
            let client = OperatorsClient(server: url, token: nil, client: transport)
            token = try BrowserSignIn(server: url, client: client).run()
        }
        let profile = Profile(server: text, token: token, app: app ?? own?.app, authorities: authorities)
        let description: JSON
        let replaced: Profile?
        do throws(CommandError) {
            let client = OperatorsClient(server: url, token: token, client: transport)
            let isSession = token.hasPrefix(BrowserSignIn.prefix)
            description = try CommandError.asking { () throws(OperatorsError) in
                try client.call(.get, isSession ? "/session" : "/token").body
            }
            // Other commands may have changed the file in the minutes of the wait.
            var file = try ProfileFile()
            replaced = file.profiles.first { $0.name == name }?.profile
            file.set(name, profile)
            try file.write()
        } catch {
            // Nothing else holds the secret of a session that has just begun.
            if entered == nil { _ = LogoutCommand.endSession(of: profile) }
            throw error
        }
        let result = JSON.object(
            [.init("profile", .string(name)), .init("server", .string(text))] + (description.members ?? []))
        Terminal.out(
            isJSON
                ? result.text
                : "signed in to \(text) as \(OperatorCall.text(description["actor"])), \(rights(in: description)); "
                    + "profile '\(name)'")
        if let replaced, replaced.token != token, replaced.token.hasPrefix(BrowserSignIn.prefix),
            case .failed(let reason) = LogoutCommand.endSession(of: replaced)
        {
            Terminal.error(
                "warning: the former session of the profile, at \(replaced.server), could not be ended: end it on the "
                    + "account page of the console (\(reason))")
        }
    }

    /// Returns the role of a token, or the grants of a user, such as `publisher,releaser:default:beta`.
    private static func rights(in description: JSON) -> String {
        let column = Column("rights", description["grants"] == nil ? "role" : "grants")
        return Table(columns: [column], objects: [description]).lines(Table.Style()).joined()
    }

    /// Returns the token that the user enters; `nil` if the user prefers the browser.
    private static func enteredToken(of url: HTTPURL) throws(CommandError) -> String? {
        let canAsk = Terminal.canAsk
        let other = canAsk ? ", or Enter to sign in in the browser" : ""
        let token = try Terminal.secret("Token of \(url)\(other): ").filter { !$0.isWhitespace }
        guard token.isEmpty else { return token }
        guard canAsk else {
            throw .usage("the token is missing: write it to standard input, or sign in with --browser")
        }
        return nil
    }
}

/// The command `larder logout`, which removes a stored token or ends a session.
enum LogoutCommand: Command {
    static let name = "logout"
    static let summary = "remove a stored token, or end a session"
    static let about = """
        Removes the current profile, or that of --profile. A session that began in the browser ends. A token stays valid:
        'larder token revoke' ends it.
        """

    static var verbs: [Verb] {
        [
            Verb(Parameter(.profile, .json)) { choice, isJSON throws(CommandError) in
                var file = try ProfileFile()
                guard let name = choice.name ?? file.current else { throw .failure("there is no profile to remove") }
                let outcome = end(try file.profile(name))
                try file.remove(name)
                try file.write()
                ProfileCommand.report(
                    "removed the profile '\(name)'; \(outcome)"
                        + (file.current == nil && !file.profiles.isEmpty
                            ? "; 'larder profile use' selects another profile" : ""),
                    file, isJSON)
                return .success
            }
        ]
    }

    /// Ends the session of a profile; returns what became of it, or of the token.
    private static func end(_ profile: Profile) -> String {
        guard profile.token.hasPrefix(BrowserSignIn.prefix) else {
            return "its token stays valid until 'larder token revoke'"
        }
        switch endSession(of: profile) {
        case .ended: return "its session has ended"
        case .over: return "its session was over"
        case .failed(let reason):
            return "its session could not be ended: end it on the account page of the console (\(reason))"
        }
    }

    /// The outcome of a session that was to end.
    enum SessionEnd {
        case ended
        /// It had ended before.
        case over
        case failed(String)
    }

    /// Ends the session whose secret a profile holds.
    static func endSession(of profile: Profile) -> SessionEnd {
        let url: HTTPURL
        do throws(TransportError) { url = try HTTPURL(profile.server) } catch { return .failed(error.description) }
        let client = OperatorsClient(
            server: url, token: profile.token,
            client: HTTPClient(authorities: profile.authorities, environment: Environment.all))
        do throws(OperatorsError) {
            _ = try client.call(.delete, "/session")
            return .ended
        } catch {
            if case .refused(let problem) = error, problem.status == 401 { return .over }
            return .failed(error.description)
        }
    }
}

/// The command `larder profile`, which lists and selects the profiles of `larder login`.
enum ProfileCommand: Command {
    static let name = "profile"
    static let summary = "list, select and remove the profiles of 'larder login'"
    static let about = """
        A profile is a server with a token. An option precedes an environment variable (LARDER_SERVER, LARDER_TOKEN,
        LARDER_APP), which precedes the profile, which precedes the default. The token of a profile is sent to the server
        of the profile only.
        """

    private static let columns = [
        Column("name", "name", .whole), Column("server", "server"), Column("app", "app"),
        Column("current", "current", .whole),
    ]
    private static let word = Parameter<String>.operand("NAME", "the name of the profile is missing")

    static var verbs: [Verb] {
        [
            Verb("list", "show the profiles, without tokens", .form) { form throws(CommandError) in
                try list(form)
                return .success
            },
            Verb("use", "make a profile the current one", Parameter(word, .json)) {
                name, isJSON throws(CommandError) in
                var file = try ProfileFile()
                try file.use(name)
                try file.write()
                report("commands use the profile '\(name)'", file, isJSON)
                return .success
            },
            Verb("remove", "remove a profile with its token", Parameter(word, .json)) {
                name, isJSON throws(CommandError) in
                var file = try ProfileFile()
                try file.remove(name)
                try file.write()
                report("removed the profile '\(name)'", file, isJSON)
                return .success
            },
        ]
    }

    /// Prints what was done to the profiles, or the profiles that are left as JSON.
    static func report(_ sentence: String, _ file: ProfileFile, _ isJSON: Bool) {
        Terminal.out(isJSON ? JSON.object(["profiles": .array(objects(of: file))]).text : sentence)
    }

    /// Returns the profiles without their tokens.
    private static func objects(of file: ProfileFile) -> [JSON] {
        file.profiles.map { name, profile in
            JSON.object([
                "name": .string(name), "server": .string(profile.server), "app": profile.app.map { .string($0) },
                "current": .bool(name == file.current),
            ])
        }
    }

    private static func list(_ form: OutputForm) throws(CommandError) {
        let file = try ProfileFile()
        let objects = objects(of: file)
        switch form {
        case .json: Terminal.out(JSON.object(["profiles": .array(objects)]).text)
        case .quiet: for profile in file.profiles { Terminal.out(profile.name) }
        case .text: for line in Table(columns: columns, objects: objects).lines() { Terminal.out(line) }
        }
    }
}
