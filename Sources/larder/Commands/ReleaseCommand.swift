import Client
import Domain
import HTTP

/// `larder release`: who gets a version, and from when.
enum ReleaseCommand: Command {
    static let name = "release"
    static let summary = "release a version, and widen, pause, halt or complete a release"
    static let help = """
        usage: larder release make --package ID --version VERSION [OPTION …]
               larder release list|show [RELEASE] --package ID [OPTION …]
               larder release widen RELEASE --percent P --package ID [OPTION …]
               larder release move RELEASE --at TIME --package ID [OPTION …]
               larder release pause|resume|halt|complete RELEASE --package ID [OPTION …]
               larder release estimate --package ID --version VERSION [OPTION …]
               larder release readiness RELEASE --package ID [OPTION …]

        'make' offers a version: to everyone and at once, unless said otherwise. The others take the number of a
        release, which 'make' and 'list' show. 'larder rollback' takes a release back.

        'estimate' takes what 'make' does, makes nothing, and says how many of the devices that the server has seen in
        the last seven days would match, and what keeps the others out. 'readiness' says how many of the devices that a
        release is for have its version already.

        \(AppOptions.help)
          --version VERSION  the version to release
        \(termsHelp)
          --download-rate N  bytes a second that the downloads ahead of --at may come to together
          --devices N        with it, how many devices the release is for
          --download-from T  with it, when the first of them download (default: at once)
          --if-revision N    refuse if somebody else has changed the release since it was at this revision
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    /// The options with a value that say something of a release, or of a set of them.
    static let terms: Set<String> = [
        "--channel", "--at", "--percent", "--plan", "--whitelist", "--excluded", "--rules", "--update-mode",
        "--if-revision",
    ]
    static let termsHelp = """
          --channel NAME     the channel (default 'production')
          --at TIME          the moment from which it takes effect, such as 2026-12-01T08:00:00+08:00
          --percent P        the share of devices, 0 to 100
          --plan STEPS       instead of it, steps after the moment: 1@0s,10@2h,100@1d
          --whitelist NAME   a list of devices that are in whatever the percentage ('larder device-list')
          --excluded NAME    a list of devices that are never in
          --rules JSON       rules that all have to be met: [{"fact": "region", "in": ["CN"]}]
          --update-mode M    silent, prompt or immediate (default silent)
          --mandatory        devices have to update before they open the package
          --wifi-only        devices are to download it over Wi-Fi alone
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        guard let verb = arguments.first else {
            throw .usage("say make, list, show, widen, move, pause, resume, halt, complete, estimate or readiness")
        }
        let parsed = try Arguments(
            Array(arguments.dropFirst()),
            valued: ServerOptions.valued.union(AppOptions.valued).union(terms).union([
                "--version", "--download-rate", "--devices", "--download-from",
            ]),
            flags: ["--json", "--mandatory", "--wifi-only"])
        let path = try AppOptions(parsed).releasesPath()
        let call = ReleaseCall(
            client: try ServerOptions(parsed).client(), revision: parsed["--if-revision"], isJSON: parsed.has("--json"))
        switch verb {
        case "make":
            try parsed.refusePositional(past: 0)
            try call.showRelease(try call.ask(.post, path, try draft(parsed)))
        case "list":
            try parsed.refusePositional(past: 0)
            try call.showList(try call.ask(.get, path))
        case "show": try call.showRelease(try call.ask(.get, try release(parsed, in: path)))
        case "widen":
            guard let percent = parsed["--percent"] else { throw .usage("--percent is needed") }
            let body = JSON.object(["percent": try number(percent, "--percent")])
            try call.showRelease(try call.ask(.patch, try release(parsed, in: path), body))
        case "move":
            guard let time = parsed["--at"] else { throw .usage("--at is needed") }
            let body = JSON.object(["activeTime": .string(time)])
            try call.showRelease(try call.ask(.patch, try release(parsed, in: path), body))
        case "pause", "resume", "halt", "complete":
            try call.showRelease(try call.ask(.post, try release(parsed, in: path) + "/" + verb, .object([])))
        case "estimate":
            try parsed.refusePositional(past: 0)
            let path = try AppOptions(parsed).packagePath() + "/audience-estimate"
            try call.showEstimate(try call.ask(.post, path, try draft(parsed)))
        case "readiness":
            try call.showReadiness(try call.ask(.get, try release(parsed, in: path) + "/readiness"))
        default:
            throw .usage(
                "'\(verb)' is none of make, list, show, widen, move, pause, resume, halt, complete, estimate, readiness"
            )
        }
        return .success
    }

    /// How downloads ahead are spread.
    private static func downloads(_ parsed: Arguments) throws(CommandError) -> [JSON.Member] {
        guard let rate = parsed["--download-rate"] else {
            guard parsed["--devices"] == nil, parsed["--download-from"] == nil else {
                throw .usage("--devices and --download-from go with --download-rate")
            }
            return []
        }
        guard let rate = Int64(rate), let devices = parsed["--devices"].flatMap({ Int64($0) }) else {
            throw .usage("--download-rate takes a number of bytes, and --devices a number with it")
        }
        return [
            .init(
                "downloads",
                .object([
                    "bytesPerSecond": .integer(rate), "devices": .integer(devices),
                    "from": parsed["--download-from"].map { .string($0) },
                ]))
        ]
    }

    /// The path of the release whose number is given.
    static func release(_ parsed: Arguments, in path: String) throws(CommandError) -> String {
        guard let text = parsed.positional.first, let id = Int64(text), id > 0 else {
            throw .usage("name the number of a release; 'larder release list' shows them")
        }
        try parsed.refusePositional(past: 1)
        return "\(path)/\(id)"
    }

    private static func draft(_ parsed: Arguments) throws(CommandError) -> JSON {
        guard let version = parsed["--version"] else { throw .usage("--version is needed") }
        return .object(
            [.init("version", .string(version))] + (try terms(parsed)) + (try downloads(parsed)))
    }

    /// What the options say of a release, or of a set of them.
    static func terms(_ parsed: Arguments) throws(CommandError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        func add(_ key: String, _ option: String) {
            if let text = parsed[option] { members.append(.init(key, .string(text))) }
        }
        add("channel", "--channel")
        add("activeTime", "--at")
        add("whitelist", "--whitelist")
        add("excluded", "--excluded")
        add("updateMode", "--update-mode")
        if let text = parsed["--percent"] { members.append(.init("percent", try number(text, "--percent"))) }
        if let text = parsed["--plan"] { members.append(.init("plan", try plan(text))) }
        if let text = parsed["--rules"] {
            guard let rules = JSON(parsing: Array(text.utf8)) else { throw .usage("--rules is not JSON") }
            members.append(.init("rules", rules))
        }
        if parsed.has("--mandatory") { members.append(.init("mandatory", true)) }
        if parsed.has("--wifi-only") { members.append(.init("wifiOnly", true)) }
        return members
    }

    static func number(_ text: String, _ option: String) throws(CommandError) -> JSON {
        guard BasisPoints(percent: text) != nil, let number = JSON(parsing: Array(text.utf8)) else {
            throw .usage("\(option) must be \(BasisPoints.shape)")
        }
        return number
    }

    private static func plan(_ text: String) throws(CommandError) -> JSON {
        var steps: [JSON] = []
        for step in text.split(separator: ",") {
            let parts = step.split(separator: "@").map(String.init)
            guard parts.count == 2 else { throw .usage("--plan takes steps such as 1@0s,10@2h, and '\(step)' is none") }
            steps.append(.object(["percent": try number(parts[0], "--plan"), "after": .string(parts[1])]))
        }
        return .array(steps)
    }
}

/// How the commands about releases ask the server, and show what it says.
struct ReleaseCall {
    let client: OperatorsClient
    /// What the release has to be at; `nil` for anything.
    let revision: String?
    let isJSON: Bool

    func ask(_ method: Method, _ path: String, _ body: JSON? = nil) throws(CommandError) -> JSON {
        try CommandError.asking { () throws(OperatorsError) in
            guard let body else { return try client.call(method, path).body }
            return try client.call(
                method, path, body, ifMatch: revision.map { "\"\($0)\"" }, answerTimeout: OperatorsClient.patience
            ).body
        }
    }

    func showList(_ answer: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(answer.text) }
        for release in answer["releases"]?.elements ?? [] { Terminal.out(Self.line(release)) }
    }

    func showRelease(_ release: JSON) throws(CommandError) {
        guard !isJSON else { return Terminal.out(release.text) }
        Terminal.out(Self.line(release))
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

    private static func line(_ release: JSON) -> String {
        "\(text(release["id"])) \(text(release["version"])) \(text(release["channel"])) \(text(release["state"])) "
            + "\(text(release["percent"])) % from \(text(release["activeTime"])), revision \(text(release["revision"]))"
    }

    /// A text as it is, anything else as JSON.
    static func text(_ value: JSON?) -> String {
        guard let value else { return "-" }
        return ShownText.of((value.string ?? value.text).utf8)
    }
}
