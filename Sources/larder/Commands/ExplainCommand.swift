import Client
import Domain
import Ground
import HTTP

/// The command `larder explain`, which shows a device's releases and the reasons.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "show which version a device gets of each package, and why"
    static let about = """
        Prints, for a device with the given facts, the version of each package that it gets now and next. For each
        release that does not match the device it prints the first rule that refuses it. A FACT is a query parameter of
        /config, such as deviceId=a3c0 appVersion=8.3.0 have=news@1.0.0 attr.tier=gold. A fact that is left out counts as
        unknown, and meets no rule about it.
        """

    /// The limit on the facts, which is more than a device sends.
    private static let maximumFacts = 64

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operands("[FACT=VALUE …]", upTo: maximumFacts), .app,
                    .option("--channel", "NAME", "the channel (default 'production')"),
                    .option(
                        "--at", "TIME",
                        "the time to explain, past or future, such as 2026-12-01T08:00:00+08:00; for a future time, "
                            + "provided that nobody changes anything and that releases stay healthy (default: now)"),
                    .reading), route: "GET /apps/{app}/explain"
            ) { facts, app, channel, time, call throws(CommandError) in
                var parameters: [(String, String)] = []
                for fact in facts {
                    let parts = fact.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                        String.init)
                    guard parts.count == 2 else {
                        throw .usage("'\(fact)' is not FACT=VALUE, such as appVersion=8.3.0")
                    }
                    parameters.append((parts[0], parts[1]))
                }
                if let channel { parameters.append(("channel", channel)) }
                if let time { parameters.append(("at", time)) }
                let query = parameters.map {
                    "\(PercentEncoding.encode($0.0.utf8))=\(PercentEncoding.encode($0.1.utf8))"
                }
                let response = try call.ask(.get, "/apps/\(app)/explain?" + query.joined(separator: "&"))
                if call.isJSON { Terminal.out(response.text) } else { show(response) }
                return .success
            }
        ]
    }

    private static func show(_ response: JSON) {
        Terminal.out("at \(OperatorCall.text(response["instant"])) on \(OperatorCall.text(response["channel"]))")
        if let assumption = response["assumption"] { Terminal.out(OperatorCall.text(assumption)) }
        for package in response["packages"]?.elements ?? [] {
            let current = package["current"]?["version"].map { OperatorCall.text($0) } ?? "nothing"
            let next = package["next"]?["version"].map {
                "; next \(OperatorCall.text($0)) from \(OperatorCall.text(package["next"]?["activeTime"]))"
            }
            let off = package["enable"]?.bool == false ? " (updates are off)" : ""
            Terminal.out("\(OperatorCall.text(package["package"])): gets \(current)\(next ?? "")\(off)")
            for release in package["releases"]?.elements ?? [] {
                let reason = release["reason"].map { ": " + OperatorCall.text($0) } ?? ""
                Terminal.out(
                    "  release \(OperatorCall.text(release["release"])), \(OperatorCall.text(release["version"])): "
                        + OperatorCall.text(release["outcome"]) + reason)
                OperatorCall.showVerdict(of: release)
            }
        }
    }
}
