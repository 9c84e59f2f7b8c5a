import Client
import Domain
import Ground
import HTTP

/// The command `larder release`, which makes and changes releases.
enum ReleaseCommand: Command {
    static let name = "release"
    static let summary = "release a version to devices, and change or inspect a release"
    static let about = """
        A release offers a published version of a package to devices on a channel. 'make' creates one; by default it
        begins at once, for all devices. The other verbs take RELEASE, the number that 'make' and 'list' print.

        On a terminal, a change that reaches all devices of an audience, and 'rollback', first show what they do and ask.
        """

    private static let draft = Parameter<(String, [JSON.Member], [JSON.Member], [JSON.Member])>(
        .required("--version", "VERSION", "the published version to release"), .terms, .floor, .downloads
    ).map { version, terms, floor, downloads throws(CommandError) in
        JSON.object([.init("version", .string(version))] + terms + floor + downloads)
    }

    private static let common = ReleaseVerbs(
        noun: "release", route: "/apps/{app}/packages/{package}/releases", operand: "{release}",
        list: .releasesPath, shown: .shownReleasesPath,
        listSummary: "show the releases, the latest first; without a package those of all packages",
        group: .releasePath, draft: draft, listMember: "releases",
        showList: { response, call throws(CommandError) in try call.showList(response) },
        show: { response, call throws(CommandError) in try call.showRelease(response) })

    static var verbs: [Verb] {
        common.verbs + [
            RollbackCommand.verb(named: "rollback"),
            Verb(
                "estimate",
                "with the options of 'make': count the devices seen in the last seven days that would match, and those "
                    + "that each rule refuses; creates nothing",
                Parameter(.packagePath, draft, .reading)
            ) { path, draft, call throws(CommandError) in
                try call.showEstimate(try call.ask(.post, path + "/audience-estimate", draft))
                return .success
            },
            Verb(
                "readiness", "count the devices of a release's audience that have its version already",
                Parameter(.releasePath, .reading),
                route: "GET /apps/{app}/packages/{package}/releases/{release}/readiness"
            ) { path, call throws(CommandError) in
                try call.showReadiness(try call.ask(.get, path + "/readiness"))
                return .success
            },
        ]
    }
}

/// The verbs that `larder release` and `larder release-set` have in common.
struct ReleaseVerbs: Sendable {
    typealias Printer = @Sendable (JSON, OperatorCall) throws(CommandError) -> Void

    /// The name of what the verbs change.
    let noun: String
    /// The path of all releases or sets, with placeholders, and the placeholder of one.
    let route: String
    let operand: String
    /// The path of all releases or sets.
    let list: Parameter<String>
    /// The path of those that the verb 'list' shows, and its summary.
    let shown: Parameter<String>
    let listSummary: String
    /// The path of the release or set whose number is the operand.
    let group: Parameter<String>
    /// The body of the request that makes a release or set.
    let draft: Parameter<JSON>
    /// The member of the response that has the list.
    let listMember: String
    let showList: Printer
    let show: Printer

    /// The printer of a change, which may wait for an approval.
    private var showChange: Printer {
        let show = show
        return { response, call throws(CommandError) in
            if !call.showApproval(response) { try show(response, call) }
        }
    }

    private static let actions = [
        ("pause", "stop the rollout plan at its percentage; devices keep the version"),
        ("resume", "continue after 'pause' or 'halt'"),
        ("halt", "offer it only to devices that report its version; others get the next lower release"),
    ]

    var verbs: [Verb] {
        let show = showChange
        let one = "\(route)/\(operand)"
        let filters = Parameter<String>.query([
            .filter("--channel", "NAME", "only those on this channel"),
            .filter("--state", "STATE", "only those in this state, such as active, scheduled or halted"),
        ])
        return [
            make,
            Verb(
                "list", listSummary, Parameter(shown, filters, .paging),
                route: Route(stringLiteral: "GET \(route)")
            ) { path, query, call throws(CommandError) in
                try call.showPages(path + query, of: listMember, showList)
                return .success
            },
            Verb(
                "show", "show one \(noun)", Parameter(group, .reading), route: Route(stringLiteral: "GET \(one)")
            ) { path, call throws(CommandError) in
                try show(try call.ask(.get, path), call)
                return .success
            },
            Verb(
                "widen",
                "raise the percentage of devices (--percent), drop the audience rules (--without-rules), or both",
                Parameter(group, .widening, .confirmed(.approvable(.forcibleChanging))),
                route: Route(stringLiteral: "PATCH \(one)")
            ) { path, body, call throws(CommandError) in
                let dropsRules = body[ReleaseTerms.Name.withoutRules] != nil
                let isRisky: (JSON) -> Bool = { dropsRules || Self.reachesAll($0) }
                try show(try call.askConfirmed(.patch, path, body, when: isRisky, show), call)
                return .success
            },
            Verb(
                "move", "change the time at which a scheduled \(noun) begins",
                Parameter(group, .moving, .approvable(.forcibleChanging))
            ) { path, body, call throws(CommandError) in
                try show(try call.ask(.patch, path, body), call)
                return .success
            },
            Verb(
                "judge", "replace the rules by which the server stops it",
                Parameter(group, .judging, .approvable(.changing))
            ) { path, body, call throws(CommandError) in
                try show(try call.ask(.patch, path, body), call)
                return .success
            },
            Verb(
                "complete", "finish its plan now: 100 %, without audience rules if a step drops them",
                Parameter(group, .confirmed(.approvable(.forcibleChanging))),
                route: Route(stringLiteral: "POST \(one)/complete")
            ) { path, call throws(CommandError) in
                try show(try call.askConfirmed(.post, path + "/complete", .object([]), show), call)
                return .success
            },
        ]
            + Self.actions.map { action($0, $1) }
    }

    private var make: Verb {
        let show = showChange
        let ifExists = Parameter<String?>.option(
            "--if-exists", "ok", "succeed if one on the same terms exists already, and print its number")
        return Verb(
            "make", "create a \(noun) of published versions; by default it begins at once, for all devices",
            Parameter(list, draft, ifExists, .confirmed(.approvable(.forcibleActing))),
            route: Route(stringLiteral: "POST \(route)")
        ) { path, draft, ifExists, call throws(CommandError) in
            guard ifExists == nil || ifExists == "ok" else { throw .usage("--if-exists must be 'ok'") }
            do throws(CommandError) {
                try show(try call.askConfirmed(.post, path, draft, when: Self.reachesAll, show), call)
            } catch {
                guard ifExists != nil, let number = error.existing else { throw error }
                try show(try call.ask(.get, "\(path)/\(number)"), call)
            }
            return .success
        }
    }

    /// Returns the verb of an action without a body.
    private func action(_ action: String, _ summary: String) -> Verb {
        let show = showChange
        let isResuming = action == "resume"
        let isRisky: @Sendable (JSON) -> Bool = { isResuming && Self.reachesAll($0) }
        let call: Parameter<OperatorCall> = isResuming ? .approvable(.forcibleChanging) : .forcibleChanging
        return Verb(
            action, summary, Parameter(group, .confirmed(call)),
            route: Route(stringLiteral: "POST \(route)/\(operand)/\(action)")
        ) { path, call throws(CommandError) in
            try show(
                try call.askConfirmed(.post, path + "/" + action, .object([]), when: isRisky, show), call)
            return .success
        }
    }

    /// Returns whether a change offers a version to all devices of an audience.
    private static let reachesAll: @Sendable (JSON) -> Bool = { release in
        release["percent"]?.integer == 100 || release["plan"]?.elements?.last?["percent"]?.integer == 100
    }
}
