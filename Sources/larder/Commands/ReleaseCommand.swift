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

          widen      raise the percentage of devices
          move       change the time at which a scheduled release begins
          pause      stop the rollout plan at its percentage; devices keep the release
          resume     continue a paused or halted release
          halt       offer the release only to devices that report its version; others get the next lower release
          judge      replace the rules by which the server stops the release
          complete   offer the release to 100 % of its audience now
          estimate   with the options of 'make': count the devices seen in the last seven days that would match, and
                     those that each rule refuses; creates nothing
          readiness  count the devices of the release's audience that have its version already

        'larder rollback' ends a release and releases an earlier version instead.
        """

    private static let draft = Parameter<(String, [JSON.Member], [JSON.Member])>(
        .required("--version", "VERSION", "the published version to release"), .terms, .downloads
    ).map { version, terms, downloads throws(CommandError) in
        JSON.object([.init("version", .string(version))] + terms + downloads)
    }

    private static let common = ReleaseVerbs(
        list: .releasesPath, group: .releasePath, draft: draft,
        showList: { response, call throws(CommandError) in try call.showList(response) },
        show: { response, call throws(CommandError) in try call.showRelease(response) })

    static var verbs: [Verb] {
        common.verbs + [
            Verb("estimate", Parameter(.packagePath, draft, .reading)) { path, draft, call throws(CommandError) in
                try call.showEstimate(try call.ask(.post, path + "/audience-estimate", draft))
                return .success
            },
            Verb("readiness", Parameter(.releasePath, .reading)) { path, call throws(CommandError) in
                try call.showReadiness(try call.ask(.get, path + "/readiness"))
                return .success
            },
        ]
    }
}

/// The verbs that `larder release` and `larder release-set` have in common.
struct ReleaseVerbs: Sendable {
    typealias Printer = @Sendable (JSON, ReleaseCall) throws(CommandError) -> Void

    /// The path of all releases or sets.
    let list: Parameter<String>
    /// The path of the release or set whose number is the operand.
    let group: Parameter<String>
    /// The body of the request that makes a release or set.
    let draft: Parameter<JSON>
    let showList: Printer
    let show: Printer

    var verbs: [Verb] {
        [
            Verb("make", Parameter(list, draft, .forcibleActing)) { path, draft, call throws(CommandError) in
                try show(try call.ask(.post, path, draft), call)
                return .success
            },
            Verb("list", Parameter(list, .reading)) { path, call throws(CommandError) in
                try showList(try call.ask(.get, path), call)
                return .success
            },
            Verb("show", Parameter(group, .reading)) { path, call throws(CommandError) in
                try show(try call.ask(.get, path), call)
                return .success
            },
            Verb("widen", Parameter(group, .widening, .forcibleChanging)) { path, body, call throws(CommandError) in
                try show(try call.ask(.patch, path, body), call)
                return .success
            },
            Verb("move", Parameter(group, .moving, .forcibleChanging)) { path, body, call throws(CommandError) in
                try show(try call.ask(.patch, path, body), call)
                return .success
            },
            Verb("judge", Parameter(group, .judging, .changing)) { path, body, call throws(CommandError) in
                try show(try call.ask(.patch, path, body), call)
                return .success
            },
        ]
            + Verb.each(["pause", "resume", "halt", "complete"], Parameter(group, .forcibleChanging)) {
                verb, input throws(CommandError) in
                let (path, call) = input
                try show(try call.ask(.post, path + "/" + verb, .object([])), call)
                return .success
            }
    }
}
