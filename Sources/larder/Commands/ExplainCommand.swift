import Client
import Domain
import HTTP

/// `larder explain`: why a device gets what it gets.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "say what a device gets, and why"
    static let help = """
        usage: larder explain [FACT=VALUE …] [OPTION …]

        Takes what a device says to /config, such as deviceId=a3c0 appVersion=8.3.0 have=news@1.0.0 attr.tier=gold, and
        prints for each package what it gets now and next, and of each release that was looked at the first rule that
        said no.

          --app ID           the app (default 'default')
          --channel NAME     the channel (default 'production')
          --at TIME          what was told then, or will be if nobody does anything
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments, valued: ServerOptions.valued.union(["--app", "--channel", "--at"]), flags: ["--json"])
        var parameters: [(String, String)] = []
        for fact in parsed.positional {
            let parts = fact.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw .usage("'\(fact)' is not FACT=VALUE, such as appVersion=8.3.0") }
            parameters.append((parts[0], parts[1]))
        }
        if let channel = parsed["--channel"] { parameters.append(("channel", channel)) }
        if let time = parsed["--at"] { parameters.append(("at", time)) }
        let query = parameters.map { "\(PercentCoding.encode($0.0))=\(PercentCoding.encode($0.1))" }
        let path = "/apps/\(try AppOptions(parsed).app)/explain?" + query.joined(separator: "&")
        let client = try ServerOptions(parsed).client()
        let answer = try CommandError.asking { () throws(OperatorsError) in try client.call(.get, path).body }
        if parsed.has("--json") { Terminal.out(answer.text) } else { show(answer) }
        return .success
    }

    private static func show(_ answer: JSON) {
        Terminal.out("at \(ReleaseCall.text(answer["instant"])) on \(ReleaseCall.text(answer["channel"]))")
        for package in answer["packages"]?.elements ?? [] {
            let current = package["current"]?["version"].map { ReleaseCall.text($0) } ?? "nothing"
            let next = package["next"]?["version"].map {
                "; next \(ReleaseCall.text($0)) from \(ReleaseCall.text(package["next"]?["activeTime"]))"
            }
            let off = package["enable"]?.bool == false ? " (updates are off)" : ""
            Terminal.out("\(ReleaseCall.text(package["package"])): gets \(current)\(next ?? "")\(off)")
            for release in package["releases"]?.elements ?? [] {
                let reason = release["reason"].map { ": " + ReleaseCall.text($0) } ?? ""
                Terminal.out(
                    "  release \(ReleaseCall.text(release["release"])), \(ReleaseCall.text(release["version"])): "
                        + ReleaseCall.text(release["outcome"]) + reason)
            }
        }
    }
}
