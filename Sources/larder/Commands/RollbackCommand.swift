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

    static var verbs: [Verb] { [verb(named: "")] }

    /// Returns the verb, which `larder release` has as well.
    static func verb(named name: String) -> Verb {
        Verb(
            name, name.isEmpty ? "" : "end a release, and release an earlier version to its devices",
            Parameter(
                .releasePath,
                .option(
                    "--to", "VERSION",
                    "the version that devices go back to (default: the version of the next lower release)"),
                .mandatoryRollback, .confirmed(.forcibleChanging)),
            route: "POST /apps/{app}/packages/{package}/releases/{release}/rollback"
        ) { path, version, isMandatory, call throws(CommandError) in
            let body: KeyValuePairs<String, JSON?> = [
                "to": version.map { .string($0) }, "mandatory": .bool(isMandatory),
            ]
            let response = try call.askConfirmed(.post, path + "/rollback", .object(body)) {
                plan, call throws(CommandError) in
                show(plan)
                OperatorCall.showLosses(plan)
                try call.refuseLosses(plan)
            }
            switch call.form {
            case .json: Terminal.out(response.text)
            case .quiet: Terminal.out(OperatorCall.text(response["begun"]?["release"]))
            case .text:
                show(response)
                OperatorCall.showLosses(response)
            }
            try call.refuseLosses(response)
            return .success
        }
    }

    /// - Parameter prefix: The text before the first line.
    static func show(_ response: JSON, prefix: String = "") {
        let isDry = response["dryRun"]?.bool == true
        let (ended, begun) = (response["ended"], response["begun"])
        Terminal.out(
            prefix + "\(isDry ? "would end" : "ended") \(OperatorCall.text(ended?["release"])) "
                + "(\(OperatorCall.text(ended?["version"]))); \(isDry ? "would begin" : "began") "
                + (begun?["version"].map { OperatorCall.text($0) } ?? "nothing, since it had not begun yet"))
        for release in response["offered"]?.elements ?? [] {
            Terminal.out(
                "  \(OperatorCall.text(release["version"])) to \(OperatorCall.text(release["percent"])) % of "
                    + OperatorCall.text(release["to"]))
        }
    }
}

extension Parameter where Value == Bool {
    /// The flag that makes devices go back before they open the package.
    static var mandatoryRollback: Parameter<Bool> {
        .flag("--mandatory", "devices must go back before they open the package")
    }
}
