import Client
import Domain
import HTTP

/// `larder kill`: takes a package off devices.
enum KillCommand: Command {
    static let name = "kill"
    static let summary = "take a package off devices: its pages lead to the network"
    static let help = """
        usage: larder kill --package ID --to URL [OPTION …]

        Publishes a version that holds nothing but a page which leads to the URL, and releases it to everyone, at once and
        mandatory. It says first what the clients of each kind will do. 'larder rollback' of the release brings the
        package back.

        \(AppOptions.help)
          --to URL           where the pages lead, such as https://m.example.com/news/
          --channel NAME     the channel (default 'production')
          --version VERSION  the version's name (default: that of the highest active version, with a number behind it)
          --dry-run          say what would happen, and do nothing
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments,
            valued: ServerOptions.valued.union(AppOptions.valued).union(["--to", "--channel", "--version"]),
            flags: ["--json", "--dry-run"])
        try parsed.refusePositional(past: 0)
        guard let target = parsed["--to"] else { throw .usage("--to is needed: where the pages lead") }
        let path = try AppOptions(parsed).packagePath() + "/kill"
        let call = ReleaseCall(
            client: try ServerOptions(parsed).client(), revision: nil, isJSON: parsed.has("--json"))
        func ask(version: JSON?, isDryRun: Bool) throws(CommandError) -> JSON {
            try call.ask(
                .post, path,
                .object([
                    "to": .string(target), "channel": parsed["--channel"].map { .string($0) }, "version": version,
                    "dryRun": .bool(isDryRun),
                ]))
        }
        let plan = try ask(version: parsed["--version"].map { .string($0) }, isDryRun: true)
        if !call.isJSON { show(plan) }
        guard !parsed.has("--dry-run") else {
            if call.isJSON { Terminal.out(plan.text) }
            return .success
        }
        let done = try ask(version: plan["version"], isDryRun: false)
        if call.isJSON {
            Terminal.out(done.text)
        } else {
            Terminal.out(
                "released \(ReleaseCall.text(done["version"])) as release \(ReleaseCall.text(done["release"]))")
        }
        return .success
    }

    private static func show(_ plan: JSON) {
        for release in plan["replaces"]?.elements ?? [] {
            Terminal.out("takes the place of \(ReleaseCall.text(release["version"]))")
        }
        ReleaseCall.showEffects(plan)
        for release in plan["replacedBy"]?.elements ?? [] {
            Terminal.error(
                "warning: \(ReleaseCall.text(release["version"])) takes its place at "
                    + "\(ReleaseCall.text(release["activeTime"])): halt release \(ReleaseCall.text(release["release"])) if it is "
                    + "not to")
        }
    }
}

extension ReleaseCall {
    /// What the clients of each kind do.
    static func showEffects(_ answer: JSON) {
        for client in answer["clients"]?.elements ?? [] {
            Terminal.out("  \(text(client["client"])): \(text(client["does"]))")
        }
    }
}
