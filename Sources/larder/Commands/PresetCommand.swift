import Client
import Domain
import Ground
import HTTP

/// The command `larder preset`, which manages the versions that builds of an app ship.
enum PresetCommand: Command {
    static let name = "preset"
    static let summary = "remember what a build of the app ships, and pack it"
    static let about = """
        'make' tells the server which versions a build of the app ships: it keeps them, and makes patches from them.
        Without --packages they are those that devices get now. 'export' writes the zip to put into the app: every
        package in its folder, and in _larder an index with digests and signatures, and the keys; with --format seed
        the package 'base' in its folder, as the first clients want it, and those of --packages; with --format
        resources the files of one package with the dialect 'resources-json', and the list of them, as the channel
        tells of them: the one that --packages names, or the only one that the build ships.
        """

    private static let build = Parameter<String>.required("--for", "APP_VERSION", "the build's version")
        .map { text throws(CommandError) in
            guard let build = VersionString(text) else { throw .usage("--for must have \(VersionString.shape)") }
            return build
        }

    static var verbs: [Verb] {
        [
            Verb(
                "make",
                Parameter(
                    build,
                    .option("--packages", "ID@VERSION,…", "what the build ships (default: what devices get now)"),
                    .option("--channel", "NAME", "whose current versions are taken (default 'production')"),
                    Call.reading(.actingServer))
            ) { build, packages, channel, call throws(CommandError) in
                try make(build, packages, channel, call)
                return .success
            },
            Verb(
                "export",
                Parameter(
                    build, .option("--packages", "ID,…", "the packages that the format leaves open"),
                    .option("--channel", "NAME", "whose list --format resources takes (default 'production')"),
                    .option("--format", "FORMAT", "complete, seed or resources (default complete)"),
                    .option("--output", "FILE", "where to write the zip (default preset-APP_VERSION.zip)"),
                    Call.reading(.server))
            ) { build, packages, channel, format, file, call throws(CommandError) in
                let query = [("format", format ?? "complete"), ("packages", packages), ("channel", channel)]
                try export(build, query, to: file ?? "preset-\(build).zip", call)
                return .success
            },
            Verb("list", Call.reading(.server)) { call throws(CommandError) in
                try list(call)
                return .success
            },
            Verb("delete", Parameter(build, Call.reading(.actingServer))) { build, call throws(CommandError) in
                try call.show(try call.ask(.delete, "/\(build)"), "deleted")
                return .success
            },
        ]
    }

    /// The input of all verbs.
    private struct Call: Sendable {
        let client: OperatorsClient
        let path: String
        let isJSON: Bool

        static func reading(_ server: Parameter<OperatorsClient>) -> Parameter<Call> {
            Parameter<(AppID, OperatorsClient, Bool)>(.app, server, .json).map {
                app, client, isJSON throws(CommandError) in
                Call(client: client, path: "/apps/\(app)/presets", isJSON: isJSON)
            }
        }

        func ask(_ method: Method, _ rest: String = "", _ body: JSON? = nil) throws(CommandError) -> JSON {
            try CommandError.asking { () throws(OperatorsError) in
                guard let body else { return try client.call(method, path + rest).body }
                return try client.call(method, path + rest, body, answerTimeout: OperatorsClient.patience).body
            }
        }

        func show(_ preset: JSON, _ verb: String) throws(CommandError) {
            let begin = client.isDryRun ? "dry run, nothing is changed: " : ""
            Terminal.out(isJSON ? preset.text : "\(begin)\(verb) \(PresetCommand.line(preset))")
        }
    }

    private static func make(
        _ build: VersionString, _ packages: String?, _ channel: String?, _ call: Call
    ) throws(CommandError) {
        var members: [JSON.Member] = [.init("appVersion", .string(build.text))]
        if let channel { members.append(.init("channel", .string(channel))) }
        if let packages {
            var versions: [JSON.Member] = []
            for item in packages.split(separator: ",") {
                let parts = item.split(separator: "@", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw .usage("--packages takes ID@VERSION, and '\(item)' is not that") }
                versions.append(.init(parts[0], .string(parts[1])))
            }
            members.append(.init("packages", .object(versions)))
        }
        try call.show(try call.ask(.post, "", .object(members)), "ships:")
    }

    private static func export(
        _ build: VersionString, _ parameters: [(String, String?)], to file: String, _ call: Call
    ) throws(CommandError) {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .usage("--format and --channel take a word, and --packages ids with commas between them")
        }
        let count = try CommandError.asking { () throws(OperatorsError) in
            try call.client.download("\(call.path)/\(build)/archive?\(query)", to: file)
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
}
