import Client
import Domain
import Ground
import HTTP

/// The command `larder rollback`, which takes a release back.
enum RollbackCommand: Command {
    static let name = "rollback"
    static let summary = "end a release, and release an earlier version to its devices"
    static let about = """
        Ends RELEASE for good and creates a release of an earlier version for the same devices. Other releases stay as
        they are. A release that has not begun yet just ends. RELEASE is the number that 'larder release list' shows;
        --dry-run prints which version each audience would get.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .releasePath,
                    .option(
                        "--to", "VERSION",
                        "the version that devices go back to (default: the version of the next lower release)"),
                    .mandatoryRollback, .forcibleChanging)
            ) { path, version, isMandatory, call throws(CommandError) in
                let response = try call.ask(
                    .post, path + "/rollback",
                    .object(["to": version.map { .string($0) }, "mandatory": .bool(isMandatory)]))
                if call.isJSON {
                    Terminal.out(response.text)
                } else {
                    show(response)
                    ReleaseCall.showLosses(response)
                }
                try call.refuseLosses(response)
                return .success
            }
        ]
    }

    /// - Parameter prefix: The text before the first line.
    static func show(_ response: JSON, prefix: String = "") {
        let isDry = response["dryRun"]?.bool == true
        let (ended, begun) = (response["ended"], response["begun"])
        Terminal.out(
            prefix + "\(isDry ? "would end" : "ended") \(ReleaseCall.text(ended?["release"])) "
                + "(\(ReleaseCall.text(ended?["version"]))); \(isDry ? "would begin" : "began") "
                + (begun?["version"].map { ReleaseCall.text($0) } ?? "nothing, since it had not begun yet"))
        for release in response["offered"]?.elements ?? [] {
            Terminal.out(
                "  \(ReleaseCall.text(release["version"])) to \(ReleaseCall.text(release["percent"])) % of "
                    + ReleaseCall.text(release["to"]))
        }
    }
}

extension Parameter where Value == Bool {
    /// The flag that makes devices go back before they open the package.
    static var mandatoryRollback: Parameter<Bool> {
        .flag("--mandatory", "devices must go back before they open the package")
    }
}
