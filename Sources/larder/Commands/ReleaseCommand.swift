import Client
import Domain
import Ground
import HTTP

/// `larder release`: who gets a version, and from when.
enum ReleaseCommand: Command {
    static let name = "release"
    static let summary = "release a version, and widen, pause, halt or complete a release"
    static let about = """
        'make' offers a version: to everyone and at once, unless said otherwise. The others take the number of a
        release, which 'make' and 'list' show. 'larder rollback' takes a release back.

        'estimate' takes what 'make' does, makes nothing, and says how many of the devices that the server has seen in
        the last seven days would match, and what keeps the others out. 'readiness' says how many of the devices that a
        release is for have its version already.
        """

    private static let draft = Parameter<(String, [JSON.Member], [JSON.Member])>(
        .required("--version", "VERSION", "the version to release"), .terms, .downloads
    ).map { version, terms, downloads throws(CommandError) in
        JSON.object([.init("version", .string(version))] + terms + downloads)
    }

    static var verbs: [Verb] {
        [
            Verb("make", Parameter(.releasesPath, draft, .forcibleActing)) { path, draft, call throws(CommandError) in
                try call.showRelease(try call.ask(.post, path, draft))
                return .success
            },
            Verb("list", Parameter(.releasesPath, .reading)) { path, call throws(CommandError) in
                try call.showList(try call.ask(.get, path))
                return .success
            },
            Verb("show", Parameter(.releasePath, .reading)) { path, call throws(CommandError) in
                try call.showRelease(try call.ask(.get, path))
                return .success
            },
            Verb("widen", Parameter(.releasePath, .widening, .forcibleChanging)) {
                path, body, call throws(CommandError) in
                try call.showRelease(try call.ask(.patch, path, body))
                return .success
            },
            Verb("move", Parameter(.releasePath, .moving, .forcibleChanging)) { path, body, call throws(CommandError) in
                try call.showRelease(try call.ask(.patch, path, body))
                return .success
            },
        ]
            + Verb.each(["pause", "resume", "halt", "complete"], Parameter(.releasePath, .forcibleChanging)) {
                verb, input throws(CommandError) in
                let (path, call) = input
                try call.showRelease(try call.ask(.post, path + "/" + verb, .object([])))
                return .success
            } + [
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
