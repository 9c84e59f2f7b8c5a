import Client
import Domain
import HTTP

/// `larder rollback`: takes a release back.
enum RollbackCommand: Command {
    static let name = "rollback"
    static let summary = "take a release back, to an earlier version"
    static let help = """
        usage: larder rollback RELEASE --package ID [OPTION …]

        Ends a release and begins one of an earlier version for the same devices, right above it. Other releases stay
        as they are. With --dry-run it is said who would get what, and nothing is done.

        \(AppOptions.help)
          --to VERSION       what devices go back to (default: the version of the next lower release)
          --mandatory        devices have to go back before they open the package
          --dry-run          say what would happen
          --if-revision N    refuse if somebody else has changed the release since it was at this revision
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments, valued: ServerOptions.valued.union(AppOptions.valued).union(["--to", "--if-revision"]),
            flags: ["--json", "--mandatory", "--dry-run"])
        let path = try ReleaseCommand.release(parsed, in: try AppOptions(parsed).releasesPath())
        let call = ReleaseCall(
            client: try ServerOptions(parsed).client(), revision: parsed["--if-revision"], isJSON: parsed.has("--json"))
        let answer = try call.ask(
            .post, path + "/rollback",
            .object([
                "to": parsed["--to"].map { .string($0) }, "mandatory": .bool(parsed.has("--mandatory")),
                "dryRun": .bool(parsed.has("--dry-run")),
            ]))
        if call.isJSON { Terminal.out(answer.text) } else { show(answer) }
        return .success
    }

    /// - Parameter prefix: What each first line begins with.
    static func show(_ answer: JSON, prefix: String = "") {
        let isDry = answer["dryRun"]?.bool == true
        let (ended, begun) = (answer["ended"], answer["begun"])
        Terminal.out(
            prefix + "\(isDry ? "would end" : "ended") \(ReleaseCall.text(ended?["release"])) "
                + "(\(ReleaseCall.text(ended?["version"]))); \(isDry ? "would begin" : "began") "
                + (begun?["version"].map { ReleaseCall.text($0) } ?? "nothing: its moment has not come"))
        for release in answer["offered"]?.elements ?? [] {
            Terminal.out(
                "  \(ReleaseCall.text(release["version"])) to \(ReleaseCall.text(release["percent"])) % of "
                    + ReleaseCall.text(release["to"]))
        }
    }
}
