import Client
import Domain
import Ground
import HTTP

/// The command `larder kill`, which takes a package off devices.
enum KillCommand: Command {
    static let name = "kill"
    static let summary = "take a package off devices: its pages redirect to a URL on the network"
    static let about = """
        Publishes a version that contains only a page that redirects to the URL in --to, and releases it to all devices
        on the channel, at once and as mandatory. It first prints how each kind of client reacts; --dry-run prints only
        that. To bring the package back, run 'larder rollback' on the release.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .packagePath,
                    .required("--to", "URL", "the URL to redirect to, such as https://m.example.com/news/"),
                    .option("--channel", "NAME", "the channel (default 'production')"),
                    .option(
                        "--version", "VERSION",
                        "the version string (default: the highest active version with a number appended, such as "
                            + "1.3.0.1)"),
                    .confirmed(.forcibleActing)), route: "POST /apps/{app}/packages/{package}/kill"
            ) { path, target, channel, version, call throws(CommandError) in
                try kill(path + "/kill", target, channel, version, call)
                return .success
            }
        ]
    }

    private static func kill(
        _ path: String, _ target: String, _ channel: String?, _ version: String?, _ call: OperatorCall
    ) throws(CommandError) {
        func ask(version: JSON?, isDryRun: Bool) throws(CommandError) -> JSON {
            try call.ask(
                .post, path,
                .object([
                    "to": .string(target), "channel": channel.map { .string($0) }, "version": version,
                    "dryRun": .bool(isDryRun),
                ]))
        }
        let plan = try ask(version: version.map { .string($0) }, isDryRun: true)
        guard !call.client.isDryRun else {
            try call.show(plan) { plan throws(CommandError) in
                show(plan)
                Terminal.out("would publish and release \(OperatorCall.text(plan["version"]))")
            }
            return try call.refuseLosses(plan)
        }
        if call.form == .text { show(plan) }
        if call.mayAsk {
            Terminal.out("publishes and releases \(OperatorCall.text(plan["version"]))")
            try call.confirm()
        }
        let done = try ask(version: plan["version"], isDryRun: false)
        switch call.form {
        case .json: Terminal.out(done.text)
        case .quiet: Terminal.out(OperatorCall.text(done["release"]))
        case .text:
            Terminal.out(
                "released \(OperatorCall.text(done["version"])) as release \(OperatorCall.text(done["release"]))")
        }
    }

    private static func show(_ plan: JSON) {
        for release in plan["replaces"]?.elements ?? [] {
            Terminal.out("replaces \(OperatorCall.text(release["version"]))")
        }
        OperatorCall.showEffects(plan)
        OperatorCall.showLosses(plan)
        for release in plan["replacedBy"]?.elements ?? [] {
            Terminal.error(
                "warning: \(OperatorCall.text(release["version"])) will replace it at "
                    + "\(OperatorCall.text(release["activeTime"])). To prevent this, halt release "
                    + "\(OperatorCall.text(release["release"])).")
        }
    }
}

extension OperatorCall {
    /// Prints warnings about the releases of other packages that devices lose.
    static func showLosses(_ response: JSON) {
        for loss in response["losses"]?.elements ?? [] {
            let devices = loss["devices"]?.integer.map { "; \($0) of the devices seen have it" } ?? ""
            Terminal.error(
                "warning: devices lose \(text(loss["package"])) \(text(loss["version"])) from \(text(loss["from"])) on: "
                    + "\(text(loss["cause"]?["package"])) \(text(loss["cause"]?["version"])) \(text(loss["cause"]?["change"]))\(devices)"
            )
        }
    }

    /// Throws `refused` if a dry run lists losses for which the server would reject the change.
    ///
    /// The server includes the losses in the response to a dry run of a rollback or a kill instead of rejecting it
    /// (decision 0040).
    func refuseLosses(_ response: JSON) throws(CommandError) {
        guard client.isDryRun, !isForced, response["losses"]?.elements?.isEmpty == false else { return }
        throw .refused("would be refused without --force: devices lose releases of other packages")
    }

    /// Prints the behaviour of each kind of client.
    static func showEffects(_ response: JSON) {
        for client in response["clients"]?.elements ?? [] {
            Terminal.out("  \(text(client["client"])): \(text(client["does"]))")
        }
    }
}
