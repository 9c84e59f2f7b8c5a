import Client
import Domain
import Ground
import HTTP

/// The form in which a verb prints a response.
enum OutputForm: Sendable {
    case text
    case json
    /// Only the numbers or names of objects, one on each line.
    case quiet
}

/// The client and the options of a command of an operator, and the printing of the responses.
struct OperatorCall: Sendable {
    var client: OperatorsClient
    /// The value of `If-Match`; `nil` without a condition.
    var precondition: String?
    let form: OutputForm
    /// Whether devices may lose releases of other packages.
    var isForced = false
    /// Further members of the body of a change.
    var members: [JSON.Member] = []
    /// Whether a change is made without a question.
    var isConfirmed = false
    /// The number of objects of a list that are wanted; `nil` for all.
    var limit: Int?

    var isJSON: Bool { form == .json }

    func ask(_ method: Method, _ path: String, _ body: JSON? = nil) throws(CommandError) -> JSON {
        try CommandError.asking { () throws(OperatorsError) in
            guard let body else {
                return try client.call(method, path, ifMatch: precondition, responseTimeout: OperatorsClient.patience)
                    .body
            }
            let more = members + (isForced ? [.init("force", true)] : [])
            return try client.call(
                method, path, more.isEmpty ? body : .object((body.members ?? []) + more), ifMatch: precondition,
                responseTimeout: OperatorsClient.patience
            ).body
        }
    }

    /// Throws `refused` if an object exists at a path.
    func requireMissing(_ path: String) throws(CommandError) {
        let isMissing = try CommandError.asking { () throws(OperatorsError) in
            do throws(OperatorsError) {
                _ = try client.call(.get, path)
                return false
            } catch {
                guard case .refused(let problem) = error, problem.status == 404 else { throw error }
                return true
            }
        }
        guard !isMissing else { return }
        let name = path.split(separator: "/").last.map { ShownText.of($0.utf8) } ?? ""
        throw .refused("'\(name)' exists already, and nothing was changed; another verb of this command changes it")
    }

    /// Sends a change that reaches devices or cannot be undone; a person at a terminal first sees the dry run and is asked.
    ///
    /// Without a terminal, in a dry run and with `--yes` the change is made at once.
    ///
    /// - Parameters:
    ///   - isRisky: Returns whether the dry run shows a change that requires a question.
    ///   - show: Prints the response to the dry run.
    func askConfirmed(
        _ method: Method, _ path: String, _ body: JSON? = nil, when isRisky: (JSON) -> Bool = { _ in true },
        _ show: (JSON, OperatorCall) throws(CommandError) -> Void
    ) throws(CommandError) -> JSON {
        if mayAsk {
            var rehearsal = OperatorCall(client: client.rehearsing, form: .text)
            (rehearsal.precondition, rehearsal.isForced, rehearsal.members) = (precondition, isForced, members)
            let plan = try rehearsal.ask(method, path, body)
            if isRisky(plan) {
                // Programs read the output in the other forms.
                if form == .text { try show(plan, rehearsal) }
                try confirm()
            }
        }
        return try ask(method, path, body)
    }

    /// Whether a person can be asked, and has not answered by `--yes`.
    var mayAsk: Bool { !isConfirmed && !client.isDryRun && Terminal.canAsk }

    /// Asks whether the change may be made; throws `failure` if not.
    func confirm() throws(CommandError) {
        guard Terminal.confirms("Make this change?") else { throw .failure("cancelled; nothing was changed") }
    }

    /// Prints a response in the form of the call; lines are preceded by a notice if it is of a dry run.
    func show(_ response: JSON, _ lines: (JSON) throws(CommandError) -> Void) throws(CommandError) {
        switch form {
        case .json: Terminal.out(response.text)
        case .quiet: if let key = Self.key(of: response) { Terminal.out(key) }
        case .text:
            if client.isDryRun { Terminal.out("dry run, nothing was changed:") }
            try lines(response)
        }
    }

    /// Requests a list, and prints it; a person at a terminal is told that it goes on.
    func showPages(
        _ path: String, of list: String, _ show: (JSON, OperatorCall) throws(CommandError) -> Void
    ) throws(CommandError) {
        let pages = try CommandError.asking { () throws(OperatorsError) in
            try client.pages(path, of: list, upTo: limit)
        }
        try show(pages.body, self)
        if pages.hasMore { noteThatListIsCut() }
    }

    /// Tells a person at a terminal that `--limit` has cut a list.
    func noteThatListIsCut() {
        guard let limit, form == .text, Terminal.isOutputTerminal else { return }
        Terminal.error("The first \(limit) are shown; a higher --limit, or none, shows more.")
    }

    /// Prints the objects of a list as a table.
    func showTable(_ response: JSON, of list: String, _ columns: [Column]) throws(CommandError) {
        let objects = response[list]?.elements ?? []
        switch form {
        case .json: Terminal.out(response.text)
        case .quiet: for object in objects { Terminal.out(Self.key(of: object) ?? "-") }
        case .text:
            if objects.isEmpty, Terminal.isOutputTerminal { Terminal.error("The list is empty.") }
            for line in Table(columns: columns, objects: objects).lines() { Terminal.out(line) }
        }
    }

    /// Returns the secret that only this response shows, or else the number or the name of an object.
    private static func key(of object: JSON) -> String? {
        ["token", "secret", "id", "name", "version", "appVersion", "keyId", "code"].lazy.compactMap { object[$0] }.first
            .map { text($0) }
    }

    private static let releaseColumns = [
        Column("id", "id", .number), Column("version", "version"), Column("channel", "channel"),
        Column("state", "state", .state), Column("%", "percent", .number), Column("begins", "activeTime", .time),
        Column("revision", "revision", .number), Column("health", "verdict.state", .state),
        Column("package", "package", .whole),
    ]

    func showList(_ response: JSON) throws(CommandError) {
        try showTable(response, of: "releases", Self.releaseColumns)
    }

    func showRelease(_ release: JSON) throws(CommandError) {
        try show(release) { release throws(CommandError) in
            Terminal.out(Self.line(release))
            Self.showVerdict(of: release)
            for (key, words) in [("shadows", "hides"), ("shadowedBy", "is hidden by")] {
                for other in release[key]?.elements ?? [] {
                    Terminal.out("  \(words) \(Self.text(other["version"])) from \(Self.text(other["from"]))")
                }
            }
            for gap in release["noPatchFrom"]?.elements ?? [] {
                Terminal.out("  no patch from \(Self.text(gap["version"])): \(Self.text(gap["note"]))")
            }
            if let note = release["note"] { Terminal.out("  " + Self.text(note)) }
            Self.showWarnings(of: release)
        }
    }

    /// Prints the warnings about a release or a set that was made; one that asks for no change is a note.
    static func showWarnings(of response: JSON) {
        let codes = response["warningCodes"]?.elements ?? []
        for (index, warning) in (response["warnings"]?.elements ?? []).enumerated() {
            let isNote = codes.indices.contains(index) && codes[index].string == "clients-without-facts-at-end"
            Terminal.error((isNote ? "note: " : "warning: ") + text(warning))
        }
    }

    /// Prints the verdict on the health of a release, if it has one.
    static func showVerdict(of release: JSON) {
        guard let verdict = release["verdict"] else { return }
        Terminal.out("  \(text(verdict["state"])): \(text(verdict["note"]))")
    }

    private static func line(_ release: JSON) -> String {
        "\(text(release["id"])) \(text(release["version"])) \(text(release["channel"])) \(text(release["state"])) "
            + "\(text(release["percent"])) % from \(text(release["activeTime"])), revision \(text(release["revision"]))"
    }

    /// Returns a text unchanged, and any other value as JSON.
    static func text(_ value: JSON?) -> String {
        guard let value else { return "-" }
        return ShownText.of((value.string ?? value.text).utf8, upTo: longestText)
    }

    /// The limit on the bytes of a shown value; tables cut further.
    private static let longestText = 4_096
}

extension Parameter where Value == OperatorCall {
    /// A call that changes nothing.
    static var reading: Parameter<OperatorCall> {
        Parameter<(OperatorsClient, Bool)>(.server, .json).map { client, isJSON throws(CommandError) in
            OperatorCall(client: client, form: isJSON ? .json : .text)
        }
    }

    /// A call that returns a list.
    static var listing: Parameter<OperatorCall> {
        Parameter<(OperatorsClient, OutputForm)>(.server, .form).map { client, form throws(CommandError) in
            OperatorCall(client: client, form: form)
        }
    }

    /// A call that returns a list in pages, with `--limit`.
    static var paging: Parameter<OperatorCall> {
        Parameter<(OperatorCall, String?)>(
            .listing, .option("--limit", "N", "show at most the first N (default: all)")
        ).map { call, limit throws(CommandError) in
            var call = call
            call.limit = try limit.map { (limit) throws(CommandError) in
                guard let number = Int(limit), number > 0 else {
                    throw .usage("--limit must be a whole number, at least 1")
                }
                return number
            }
            return call
        }
    }

    /// A call that creates something, with `--dry-run`.
    static var acting: Parameter<OperatorCall> {
        Parameter<(OperatorsClient, OutputForm)>(.actingServer, .form).map { client, form throws(CommandError) in
            OperatorCall(client: client, form: form)
        }
    }

    /// A call that changes an object with a revision, with `--dry-run` and `--if-revision`.
    static var changing: Parameter<OperatorCall> {
        Parameter<(OperatorCall, String?)>(
            .acting,
            .option(
                "--if-revision", "N",
                "change it only if its revision is still N, so that no other change is overwritten")
        ).map { call, revision throws(CommandError) in
            var call = call
            call.precondition = revision.map { "\"\($0)\"" }
            return call
        }
    }

    /// A call like ``acting``, with `--force`.
    static var forcibleActing: Parameter<OperatorCall> { forcible(.acting) }

    /// A call like ``changing``, with `--force`.
    static var forcibleChanging: Parameter<OperatorCall> { forcible(.changing) }

    private static func forcible(_ call: Parameter<OperatorCall>) -> Parameter<OperatorCall> {
        Parameter<(OperatorCall, Bool)>(
            call,
            .flag("--force", "make the change even if devices lose releases of other packages that need this one")
        ).map { call, isForced throws(CommandError) in
            var call = call
            call.isForced = isForced
            return call
        }
    }

    /// Returns a call with `--yes`, which answers the question before a change.
    static func confirmed(_ call: Parameter<OperatorCall>) -> Parameter<OperatorCall> {
        Parameter<(OperatorCall, Bool)>(call, .yes).map { call, isConfirmed throws(CommandError) in
            var call = call
            call.isConfirmed = isConfirmed
            return call
        }
    }
}

extension Parameter where Value == Bool {
    /// The flag that answers the question before a change.
    static var yes: Parameter<Bool> {
        .flag("--yes", "do not ask before the change; without a terminal there is no question")
    }
}

extension Parameter where Value == OutputForm {
    /// The form of the output: `--json` or `--quiet`.
    static var form: Parameter<OutputForm> {
        Parameter<(Bool, Bool)>(
            .json, .flag("--quiet", "print only the numbers or names of objects, one on each line")
        ).map { isJSON, isQuiet throws(CommandError) in
            guard !isJSON || !isQuiet else { throw .usage("give --json or --quiet, not both") }
            return isJSON ? .json : isQuiet ? .quiet : .text
        }
    }
}
