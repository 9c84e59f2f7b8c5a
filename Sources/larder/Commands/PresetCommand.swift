import Client
import Domain
import Ground
import HTTP

/// The command `larder preset`, which manages the versions that builds of an app ship.
enum PresetCommand: Command {
    static let name = "preset"
    static let summary = "record the versions that a build of the app ships, and export them as a zip"
    static let about = """
        A preset records the versions of packages that a build of the host app ships. The server keeps these versions
        and builds patches from them.

          make    record the preset of a build
          export  write the zip to embed in the app, in one of three formats:
                    complete   each package in its folder; in _larder an index with digests and signatures, and the
                               keys
                    seed       for clients of the protocol 'seed 000' (docs/clients.md): the package 'base' and those
                               in --packages, each in its folder
                    resources  for one package with the dialect 'resources-json': its files, and the list that names
                               them
          list    show all presets
          delete  delete a preset whose build was never shipped or is no longer in use
        """

    private static let build = Parameter<String>.required(
        "--for", "APP_VERSION", "the app version of the build, such as 8.3.0"
    )
    .map { text throws(CommandError) in
        guard let build = VersionString(text) else {
            throw .usage("--for must be a version string: \(VersionString.shape)")
        }
        return build
    }

    static var verbs: [Verb] {
        [
            Verb(
                "make",
                Parameter(
                    build,
                    .option(
                        "--packages", "ID@VERSION,…",
                        "the versions that the build ships (default: those that devices on --channel get now)"),
                    .option("--channel", "NAME", "the channel of the default for --packages (default 'production')"),
                    Call.reading(.actingServer))
            ) { build, packages, channel, call throws(CommandError) in
                try make(build, packages, channel, call)
                return .success
            },
            Verb(
                "export",
                Parameter(
                    build,
                    .option(
                        "--packages", "ID,…",
                        "with --format seed: packages to add to 'base'; with --format resources: the package (default: "
                            + "the only one with the dialect)"),
                    .option(
                        "--channel", "NAME", "with --format resources: the channel of the list (default 'production')"),
                    .option("--format", "FORMAT", "complete, seed or resources (default complete)"),
                    .option("--output", "FILE", "the path of the zip (default preset-APP_VERSION.zip)"),
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
                return try client.call(method, path + rest, body, responseTimeout: OperatorsClient.patience).body
            }
        }

        func show(_ preset: JSON, _ verb: String) throws(CommandError) {
            let begin = client.isDryRun ? "dry run, nothing was changed: " : ""
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
                guard parts.count == 2 else {
                    throw .usage("--packages must be ID@VERSION,…; '\(item)' is not ID@VERSION")
                }
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
            throw .usage("--format and --channel must be one word, and --packages must be ids separated by commas")
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
