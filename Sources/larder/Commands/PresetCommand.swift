import Client
import Domain
import HTTP

/// `larder preset`: what builds of an app ship inside.
enum PresetCommand: Command {
    static let name = "preset"
    static let summary = "remember what a build of the app ships, and pack it"
    static let help = """
        usage: larder preset make --for APP_VERSION [--packages ID@VERSION,…] [OPTION …]
               larder preset export --for APP_VERSION [--output FILE] [--format FORMAT [--packages ID,…]] [OPTION …]
               larder preset list [OPTION …]
               larder preset delete --for APP_VERSION [OPTION …]

        'make' tells the server which versions a build of the app ships: it keeps them, and makes patches from them.
        Without --packages they are those that devices get now. 'export' writes the zip to put into the app: every
        package in its folder, and in _larder an index with digests and signatures, and the keys; with --format seed
        the package 'base' in its folder, as the first clients want it, and those of --packages; with --format
        resources the files of one package with the dialect 'resources-json', and the list of them, as the channel
        tells of them: the one that --packages names, or the only one that the build ships.

          --for APP_VERSION  the build's version
          --app ID           the app (default: default)
          --channel NAME     whose current versions 'make' takes, and whose list 'export --format resources' does
                             (default: production)
          --output FILE      where to write the zip (default: preset-APP_VERSION.zip)
        \(ServerOptions.help)
          --json             print JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        guard let verb = arguments.first else { throw .usage("say make, export, list or delete") }
        let parsed = try Arguments(
            Array(arguments.dropFirst()),
            valued: ServerOptions.valued.union(["--for", "--app", "--channel", "--packages", "--output", "--format"]),
            flags: ["--json"])
        try parsed.refusePositional(past: 0)
        let call = Call(
            client: try ServerOptions(parsed).client(), path: "/apps/\(try app(parsed))/presets",
            isJSON: parsed.has("--json"))
        switch verb {
        case "make": try make(parsed, call)
        case "export": try export(parsed, call)
        case "list": try list(call)
        case "delete": try call.show(try call.ask(.delete, "/" + (try build(parsed))), "deleted")
        default: throw .usage("'\(verb)' is none of make, export, list, delete")
        }
        return .success
    }

    /// What all verbs need.
    private struct Call {
        let client: OperatorsClient
        let path: String
        let isJSON: Bool

        func ask(_ method: Method, _ rest: String = "", _ body: JSON? = nil) throws(CommandError) -> JSON {
            try CommandError.asking { () throws(OperatorsError) in
                guard let body else { return try client.call(method, path + rest).body }
                return try client.call(method, path + rest, body, answerTimeout: OperatorsClient.patience).body
            }
        }

        func show(_ preset: JSON, _ verb: String) throws(CommandError) {
            Terminal.out(isJSON ? preset.text : "\(verb) \(PresetCommand.line(preset))")
        }
    }

    private static func make(_ parsed: Arguments, _ call: Call) throws(CommandError) {
        var members: [JSON.Member] = [.init("appVersion", .string(try build(parsed)))]
        if let channel = parsed["--channel"] { members.append(.init("channel", .string(channel))) }
        if let text = parsed["--packages"] {
            var versions: [JSON.Member] = []
            for item in text.split(separator: ",") {
                let parts = item.split(separator: "@", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw .usage("--packages takes ID@VERSION, and '\(item)' is not that") }
                versions.append(.init(parts[0], .string(parts[1])))
            }
            members.append(.init("packages", .object(versions)))
        }
        try call.show(try call.ask(.post, "", .object(members)), "ships:")
    }

    private static func export(_ parsed: Arguments, _ call: Call) throws(CommandError) {
        let build = try build(parsed)
        let file = parsed["--output"] ?? "preset-\(build).zip"
        var query = "?format=\(parsed["--format"] ?? "complete")"
        if let packages = parsed["--packages"] { query += "&packages=\(packages)" }
        if let channel = parsed["--channel"] { query += "&channel=\(channel)" }
        guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .usage("--format and --channel take a word, and --packages ids with commas between them")
        }
        let count = try CommandError.asking { () throws(OperatorsError) in
            try call.client.download("\(call.path)/\(build)/archive\(query)", to: file)
        }
        let json = JSON.object(["file": .string(file), "bytes": .integer(Int64(count))])
        Terminal.out(call.isJSON ? json.text : "wrote \(file), \(ByteCount.text(count))")
    }

    private static func list(_ call: Call) throws(CommandError) {
        let presets = try call.ask(.get)
        if call.isJSON {
            Terminal.out(presets.text)
        } else {
            for preset in presets["presets"]?.elements ?? [] { Terminal.out(line(preset)) }
        }
    }

    private static func line(_ preset: JSON) -> String {
        let packages = (preset["packages"]?.members ?? []).map { "\($0.key)@\($0.value.string ?? "")" }
        return ShownText.of("\(preset["appVersion"]?.string ?? "") \(packages.joined(separator: " "))".utf8)
    }

    private static func app(_ parsed: Arguments) throws(CommandError) -> AppID {
        guard let app = AppID(parsed["--app"] ?? "default") else { throw .usage("--app must have \(AppID.shape)") }
        return app
    }

    private static func build(_ parsed: Arguments) throws(CommandError) -> String {
        guard let text = parsed["--for"] else { throw .usage("--for is needed: the version of the app's build") }
        guard let build = VersionString(text) else { throw .usage("--for must have \(VersionString.shape)") }
        return build.text
    }
}
