import Client
import Domain
import Ground
import HTTP

/// The client and the options of a command about releases, and the printing of the responses.
struct ReleaseCall: Sendable {
    let client: OperatorsClient
    /// The revision that the release must be at; `nil` for any.
    let revision: String?
    let isJSON: Bool
    /// Whether devices may lose releases of other packages.
    var isForced = false

    /// The value of `If-Match`; `nil` without a revision.
    var tag: String? { revision.map { "\"\($0)\"" } }

    func ask(_ method: Method, _ path: String, _ body: JSON? = nil) throws(CommandError) -> JSON {
        try CommandError.asking { () throws(OperatorsError) in
            guard let body else { return try client.call(method, path).body }
            return try client.call(
                method, path, isForced ? .object((body.members ?? []) + [.init("force", true)]) : body, ifMatch: tag,
                responseTimeout: OperatorsClient.patience
            ).body
        }
    }

    /// Prints a response as JSON or as lines, preceded by a notice if it is of a dry run.
    func show(_ response: JSON, _ lines: (JSON) throws(CommandError) -> Void) throws(CommandError) {
        guard !isJSON else { return Terminal.out(response.text) }
        if client.isDryRun { Terminal.out("dry run, nothing was changed:") }
        try lines(response)
    }

    func showList(_ response: JSON) throws(CommandError) {
        try show(response) { response throws(CommandError) in
            for release in response["releases"]?.elements ?? [] {
                Terminal.out(Self.line(release))
                Self.showVerdict(of: release)
            }
        }
    }

    func showRelease(_ release: JSON) throws(CommandError) {
        try show(release) { release throws(CommandError) in
            Terminal.out(Self.line(release))
            Self.showVerdict(of: release)
            for (key, words) in [("shadows", "hides"), ("shadowedBy", "is hidden by")] {
                for other in release[key]?.elements ?? [] {
                    Terminal.out("  \(words) \(Self.text(other["version"])) from \(Self.text(other["from"]))")
                }
            }
            for gap in release["noPatchFrom"]?.elements ?? [] {
                Terminal.out("  no patch from \(Self.text(gap["version"])): \(Self.text(gap["note"]))")
            }
            if let note = release["note"] { Terminal.out("  " + Self.text(note)) }
            for warning in release["warnings"]?.elements ?? [] { Terminal.error("warning: " + Self.text(warning)) }
        }
    }

    /// Prints the verdict on the health of a release, if it has one.
    static func showVerdict(of release: JSON) {
        guard let verdict = release["verdict"] else { return }
        Terminal.out("  \(text(verdict["state"])): \(text(verdict["note"]))")
    }

    private static func line(_ release: JSON) -> String {
        "\(text(release["id"])) \(text(release["version"])) \(text(release["channel"])) \(text(release["state"])) "
            + "\(text(release["percent"])) % from \(text(release["activeTime"])), revision \(text(release["revision"]))"
    }

    /// Returns a text unchanged, and any other value as JSON.
    static func text(_ value: JSON?) -> String {
        guard let value else { return "-" }
        return ShownText.of((value.string ?? value.text).utf8)
    }
}

extension Parameter where Value == ReleaseCall {
    /// A call that changes nothing.
    static var reading: Parameter<ReleaseCall> {
        Parameter<(OperatorsClient, Bool)>(.server, .json).map { client, isJSON throws(CommandError) in
            ReleaseCall(client: client, revision: nil, isJSON: isJSON)
        }
    }

    /// A call that creates something, with `--dry-run`.
    static var acting: Parameter<ReleaseCall> {
        Parameter<(OperatorsClient, Bool)>(.actingServer, .json).map { client, isJSON throws(CommandError) in
            ReleaseCall(client: client, revision: nil, isJSON: isJSON)
        }
    }

    /// A call that changes an object with a revision, with `--dry-run` and `--if-revision`.
    static var changing: Parameter<ReleaseCall> {
        Parameter<(ReleaseCall, String?)>(
            .acting,
            .option(
                "--if-revision", "N",
                "change it only if its revision is still N, so that no other change is overwritten")
        ).map { call, revision throws(CommandError) in
            ReleaseCall(client: call.client, revision: revision, isJSON: call.isJSON)
        }
    }
    /// A call like ``acting``, with `--force`.
    static var forcibleActing: Parameter<ReleaseCall> { forcible(.acting) }

    /// A call like ``changing``, with `--force`.
    static var forcibleChanging: Parameter<ReleaseCall> { forcible(.changing) }

    private static func forcible(_ call: Parameter<ReleaseCall>) -> Parameter<ReleaseCall> {
        Parameter<(ReleaseCall, Bool)>(
            call,
            .flag("--force", "make the change even if devices lose releases of other packages that need this one")
        ).map { call, isForced throws(CommandError) in
            ReleaseCall(client: call.client, revision: call.revision, isJSON: call.isJSON, isForced: isForced)
        }
    }
}
