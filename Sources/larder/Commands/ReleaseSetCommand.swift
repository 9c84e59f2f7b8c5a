import Client
import Domain
import HTTP

/// `larder release-set`: versions of several packages that devices get together, or none of them.
enum ReleaseSetCommand: Command {
    static let name = "release-set"
    static let summary = "release versions of several packages as one, and change or take back such a set"
    static let help = """
        usage: larder release-set make PACKAGE@VERSION PACKAGE@VERSION … [OPTION …]
               larder release-set list|show [SET] [OPTION …]
               larder release-set widen SET --percent P [OPTION …]
               larder release-set move SET --at TIME [OPTION …]
               larder release-set pause|resume|halt|complete SET [OPTION …]
               larder release-set rollback SET [--to PACKAGE@VERSION,…] [--dry-run] [OPTION …]

        'make' offers the versions from one moment on, to the same devices: each gets all of them, or none. The others
        take the number of a set, which 'make' and 'list' show, and do what they do to all of its releases. 'rollback'
        ends the set and begins one of the earlier versions, or of those that are named.

          --app ID           the app (default 'default')
        \(ReleaseCommand.termsHelp)
          --to VERSIONS      what devices go back to: news@1.1.0,common@6.9
          --dry-run          of a roll-back, say what would happen
          --if-revision N    refuse if somebody else has changed the set since it was at this revision
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let verbs = "make, list, show, widen, move, pause, resume, halt, complete or rollback"
        guard let verb = arguments.first else { throw .usage("say \(verbs)") }
        let parsed = try Arguments(
            Array(arguments.dropFirst()),
            valued: ServerOptions.valued.union(ReleaseCommand.terms).union(["--app", "--to"]),
            flags: ["--json", "--mandatory", "--wifi-only", "--dry-run"])
        let path = "/apps/\(try AppOptions(parsed).app)/release-sets"
        let call = ReleaseCall(
            client: try ServerOptions(parsed).client(), revision: parsed["--if-revision"], isJSON: parsed.has("--json"))
        switch verb {
        case "make":
            let draft = JSON.object(
                [.init("versions", try versions(parsed.positional))] + (try ReleaseCommand.terms(parsed)))
            show(try call.ask(.post, path, draft), call)
        case "list":
            try parsed.refusePositional(past: 0)
            let answer = try call.ask(.get, path)
            guard !call.isJSON else {
                Terminal.out(answer.text)
                break
            }
            for set in answer["releaseSets"]?.elements ?? [] { show(set, call) }
        case "show": show(try call.ask(.get, try set(parsed, in: path)), call)
        case "widen":
            guard let percent = parsed["--percent"] else { throw .usage("--percent is needed") }
            let body = JSON.object(["percent": try ReleaseCommand.number(percent, "--percent")])
            show(try call.ask(.patch, try set(parsed, in: path), body), call)
        case "move":
            guard let time = parsed["--at"] else { throw .usage("--at is needed") }
            show(try call.ask(.patch, try set(parsed, in: path), .object(["activeTime": .string(time)])), call)
        case "pause", "resume", "halt", "complete":
            show(try call.ask(.post, try set(parsed, in: path) + "/" + verb, .object([])), call)
        case "rollback": try rollBack(parsed, try set(parsed, in: path), call)
        default: throw .usage("'\(verb)' is none of \(verbs)")
        }
        return .success
    }

    private static func rollBack(_ parsed: Arguments, _ path: String, _ call: ReleaseCall) throws(CommandError) {
        let named = parsed["--to"]?.split(separator: ",").map(String.init)
        let body = JSON.object([
            "to": try named.map { (texts) throws(CommandError) in try versions(texts) },
            "mandatory": .bool(parsed.has("--mandatory")), "dryRun": .bool(parsed.has("--dry-run")),
        ])
        let answer = try call.ask(.post, path + "/rollback", body)
        guard !call.isJSON else { return Terminal.out(answer.text) }
        for part in answer["packages"]?.elements ?? [] {
            RollbackCommand.show(part, prefix: ReleaseCall.text(part["package"]) + ": ")
        }
        if let begun = answer["begun"], begun != .null {
            Terminal.out("release set \(ReleaseCall.text(begun)) begins in its place")
        }
    }

    /// From texts such as `news@1.2.0`.
    private static func versions(_ texts: [String]) throws(CommandError) -> JSON {
        var members: [JSON.Member] = []
        for text in texts {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, PackageID(parts[0]) != nil, VersionString(parts[1]) != nil else {
                throw .usage("'\(text)' is no PACKAGE@VERSION, such as news@1.2.0")
            }
            guard !members.contains(where: { $0.key == parts[0] }) else {
                throw .usage("'\(parts[0])' is named twice")
            }
            members.append(.init(parts[0], .string(parts[1])))
        }
        guard !members.isEmpty else { throw .usage("name what to release, such as news@1.2.0 common@7.0") }
        return .object(members)
    }

    /// The path of the set whose number is given.
    private static func set(_ parsed: Arguments, in path: String) throws(CommandError) -> String {
        guard let text = parsed.positional.first, let id = Int64(text), id > 0 else {
            throw .usage("name the number of a release set; 'larder release-set list' shows them")
        }
        try parsed.refusePositional(past: 1)
        return "\(path)/\(id)"
    }

    private static func show(_ set: JSON, _ call: ReleaseCall) {
        guard !call.isJSON else { return Terminal.out(set.text) }
        let text = ReleaseCall.text
        Terminal.out(
            "\(text(set["id"])) \(text(set["channel"])) \(text(set["state"])) \(text(set["percent"])) % from "
                + "\(text(set["activeTime"])), revision \(text(set["revision"]))")
        for release in set["releases"]?.elements ?? [] {
            Terminal.out("  \(text(release["package"])) \(text(release["version"])), release \(text(release["id"]))")
            if let note = release["note"] { Terminal.out("    " + text(note)) }
        }
        for warning in set["warnings"]?.elements ?? [] { Terminal.error("warning: " + text(warning)) }
    }
}
