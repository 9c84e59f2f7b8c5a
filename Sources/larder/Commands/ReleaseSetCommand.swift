import Client
import Domain
import Ground
import HTTP

/// The command `larder release-set`, which releases versions of several packages as one.
enum ReleaseSetCommand: Command {
    static let name = "release-set"
    static let aliases = ["set"]
    static let summary = "release versions of several packages together, and change or inspect such a set"
    static let about = """
        A release set offers versions of several packages to the same devices at the same time; a device gets all of
        them or none. 'make' creates a set of the given versions. The other verbs take SET, the number that 'make' and
        'list' print, and change all releases of the set as the verbs of 'larder release' do. 'larder set' is a short
        form of 'larder release-set'.
        """

    private static let sets = Parameter<AppID>.app.map { app throws(CommandError) in "/apps/\(app)/release-sets" }

    private static let one = Parameter<(Int64, String)>(
        .number("SET", "the number of the release set is missing or not a number; 'larder release-set list' shows it"),
        sets
    ).map { id, path throws(CommandError) in "\(path)/\(id)" }

    private static let draft = Parameter<([String], [JSON.Member])>(
        .operands("PACKAGE@VERSION PACKAGE@VERSION …", upTo: ReleaseGroup.sizes.upperBound), .terms
    ).map { texts, terms throws(CommandError) in
        JSON.object([.init("versions", try versions(texts))] + terms)
    }

    private static let target = Parameter<(String?, Bool)>(
        .option("--to", "VERSIONS", "the versions that devices go back to, such as news@1.1.0,common@6.9"),
        .mandatoryRollback
    ).map { versions, isMandatory throws(CommandError) in
        let named = versions?.split(separator: ",").map(String.init)
        let members: KeyValuePairs<String, JSON?> = [
            "to": try named.map { (texts) throws(CommandError) in try ReleaseSetCommand.versions(texts) },
            "mandatory": .bool(isMandatory),
        ]
        return JSON.object(members)
    }

    private static let columns = [
        Column("id", "id", .number), Column("channel", "channel"), Column("state", "state", .state),
        Column("%", "percent", .number), Column("begins", "activeTime", .time),
        Column("revision", "revision", .number), Column("versions", "versions"),
    ]

    private static let common = ReleaseVerbs(
        noun: "release set", route: "/apps/{app}/release-sets", operand: "{set}", list: sets, shown: sets,
        listSummary: "show the release sets, the latest first", group: one, draft: draft,
        listMember: "releaseSets",
        showList: { response, call throws(CommandError) in try showList(response, call) },
        show: { response, call throws(CommandError) in try show(response, call) })

    static var verbs: [Verb] {
        common.verbs + [
            Verb(
                "rollback", "end a set and create one of the earlier versions, or of those in --to",
                Parameter(one, target, .confirmed(.forcibleChanging)),
                route: "POST /apps/{app}/release-sets/{set}/rollback"
            ) { path, target, call throws(CommandError) in
                let response = try call.askConfirmed(.post, path + "/rollback", target) {
                    plan, call throws(CommandError) in
                    show(rollBack: plan)
                    try call.refuseLosses(plan)
                }
                try call.show(response) { response throws(CommandError) in show(rollBack: response) }
                try call.refuseLosses(response)
                return .success
            }
        ]
    }

    /// Prints the sets with their versions as a text.
    private static func showList(_ response: JSON, _ call: OperatorCall) throws(CommandError) {
        guard !call.isJSON else { return Terminal.out(response.text) }
        let sets = (response["releaseSets"]?.elements ?? []).map { set in
            let versions = (set["releases"]?.elements ?? []).map {
                "\(OperatorCall.text($0["package"]))@\(OperatorCall.text($0["version"]))"
            }
            return JSON.object((set.members ?? []) + [.init("versions", .string(versions.joined(separator: " ")))])
        }
        try call.showTable(.object([.init("releaseSets", .array(sets))]), of: "releaseSets", columns)
    }

    private static func show(rollBack response: JSON) {
        for part in response["packages"]?.elements ?? [] {
            RollbackCommand.show(part, prefix: OperatorCall.text(part["package"]) + ": ")
        }
        OperatorCall.showLosses(response)
        if let begun = response["begun"], begun != .null {
            Terminal.out("release set \(OperatorCall.text(begun)) replaces it")
        }
    }

    /// Parses texts such as `news@1.2.0`.
    private static func versions(_ texts: [String]) throws(CommandError) -> JSON {
        var members: [JSON.Member] = []
        for text in texts {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, PackageID(parts[0]) != nil, VersionString(parts[1]) != nil else {
                throw .usage("'\(text)' is not PACKAGE@VERSION, such as news@1.2.0")
            }
            guard !members.contains(where: { $0.key == parts[0] }) else {
                throw .usage("the package '\(parts[0])' is given twice")
            }
            members.append(.init(parts[0], .string(parts[1])))
        }
        guard !members.isEmpty else { throw .usage("the versions are missing; give them as news@1.2.0 common@7.0") }
        return .object(members)
    }

    private static func show(_ set: JSON, _ call: OperatorCall) throws(CommandError) {
        try call.show(set) { set throws(CommandError) in
            let text = OperatorCall.text
            Terminal.out(
                "\(text(set["id"])) \(text(set["channel"])) \(text(set["state"])) \(text(set["percent"])) % from "
                    + "\(text(set["activeTime"])), revision \(text(set["revision"]))")
            for release in set["releases"]?.elements ?? [] {
                Terminal.out(
                    "  \(text(release["package"])) \(text(release["version"])), release \(text(release["id"]))")
                OperatorCall.showVerdict(of: release)
                if let note = release["note"] { Terminal.out("    " + text(note)) }
            }
            OperatorCall.showWarnings(of: set)
        }
    }
}
