import Client
import Domain
import HTTP

/// `larder online`: lets the pages of a package come from the network for a while.
enum OnlineCommand: Command {
    static let name = "online"
    static let summary = "let a package's pages come from the network for a while"
    static let help = """
        usage: larder online --package ID --for LENGTH | --until TIME | --end [OPTION …]

        Tells clients to open the package's pages from the network, and to use the package again afterwards. It says what
        the clients of each kind do: not all know how.

        \(AppOptions.help)
          --for LENGTH       for how long, such as 90m, 2h or 3d; 30d at most
          --until TIME       instead of it, until when
          --end              no longer: the package is used again
          --dry-run          say what would happen, and do nothing
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments, valued: ServerOptions.valued.union(AppOptions.valued).union(["--for", "--until"]),
            flags: ["--json", "--dry-run", "--end"])
        try parsed.refusePositional(past: 0)
        let path = try AppOptions(parsed).packagePath() + "/online"
        let call = ReleaseCall(
            client: try ServerOptions(parsed).client(), revision: nil, isJSON: parsed.has("--json"))
        switch (parsed["--for"], parsed["--until"], parsed.has("--end")) {
        case (nil, nil, true):
            guard !parsed.has("--dry-run") else { throw .usage("--dry-run says nothing of --end") }
            _ = try call.ask(.delete, path)
            if !call.isJSON { Terminal.out("the package is used again") }
        case (.some, nil, false), (nil, .some, false):
            let answer = try call.ask(
                .post, path,
                .object([
                    "for": parsed["--for"].map { .string($0) }, "until": parsed["--until"].map { .string($0) },
                    "dryRun": .bool(parsed.has("--dry-run")),
                ]))
            if call.isJSON {
                Terminal.out(answer.text)
            } else {
                let would = parsed.has("--dry-run") ? "would come" : "come"
                Terminal.out("pages \(would) from the network until \(ReleaseCall.text(answer["onlineUntil"]))")
                ReleaseCall.showEffects(answer)
            }
        default: throw .usage("say one of --for, --until and --end")
        }
        return .success
    }
}
