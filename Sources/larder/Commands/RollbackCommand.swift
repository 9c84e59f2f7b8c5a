import Client
import Domain
import Ground
import HTTP

/// The command `larder rollback`, which takes a release back.
enum RollbackCommand: Command {
    static let name = "rollback"
    static let summary = "take a release back, to an earlier version"
    static let about = """
        Ends a release and begins one of an earlier version for the same devices, right above it. Other releases stay
        as they are. With --dry-run it is said who would get what, and nothing is done.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .releasePath,
                    .option(
                        "--to", "VERSION", "what devices go back to (default: the version of the next lower release)"),
                    .mandatoryRollback, .forcibleChanging)
            ) { path, version, isMandatory, call throws(CommandError) in
                let answer = try call.ask(
                    .post, path + "/rollback",
                    .object(["to": version.map { .string($0) }, "mandatory": .bool(isMandatory)]))
                if call.isJSON {
                    Terminal.out(answer.text)
                } else {
                    show(answer)
                    ReleaseCall.showLosses(answer)
                }
                try call.refuseLosses(answer)
                return .success
            }
        ]
    }

    /// - Parameter prefix: The text before the first line.
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

extension Parameter where Value == Bool {
    /// The flag that makes devices go back before they open the package.
    static var mandatoryRollback: Parameter<Bool> {
        .flag("--mandatory", "devices have to go back before they open the package")
    }
}
