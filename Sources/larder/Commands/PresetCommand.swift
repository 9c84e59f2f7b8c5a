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

        'export' writes the zip to embed in the app, in one of three formats:

          complete   each package in its folder; in _larder an index with digests and signatures, and the keys
          seed       for clients of the protocol 'seed 000' (docs/clients.md): the package 'base' and those in
                     --packages, each in its folder
          resources  for one package with the dialect 'resources-json': its files, and the list that names them
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
                "make", "record the versions that a build ships",
                Parameter(
                    build,
                    .option(
                        "--packages", "ID@VERSION,…",
                        "the versions that the build ships (default: those that devices on --channel get now)"),
                    .option("--channel", "NAME", "the channel of the default for --packages (default 'production')"),
                    Call.reading(.acting)), route: "POST /apps/{app}/presets"
            ) { build, packages, channel, call throws(CommandError) in
                try make(build, packages, channel, call)
                return .success
            },
            Verb(
                "export", "write the zip to embed in the app",
                Parameter(
                    build,
                    .option(
                        "--packages", "ID,…",
                        "with --format seed: packages to add to 'base'; with --format resources: the package (default: "
                            + "the only one with the dialect)"),
                    .option(
                        "--channel", "NAME", "with --format resources: the channel of the list (default 'production')"),
                    .option("--format", "complete|seed|resources", "the contents of the zip (default complete)"),
                    .option("--output", "FILE", "the path of the zip (default preset-APP_VERSION.zip)"),
                    Call.reading(.reading))
            ) { build, packages, channel, format, file, call throws(CommandError) in
                let query = [("format", format ?? "complete"), ("packages", packages), ("channel", channel)]
                try export(build, query, to: file ?? "preset-\(build).zip", call)
                return .success
            },
            .request(
                "list", "show all presets, the newest first", "GET /apps/{app}/presets",
                [
                    .filter("--text", "TEXT", "only those with this text in the app version"),
                    .filter("--package", "ID", "only those that ship this package"),
                    .sort("-createdAt", "appVersion"),
                ],
                .table(
                    "presets",
                    [
                        Column("app version", "appVersion", .whole), Column("created", "createdAt", .time),
                        Column("packages", "packages"),
                    ])),
            Verb(
                "delete", "delete a preset whose build was never shipped or is no longer in use",
                Parameter(build, Call.reading(.confirmed(.acting)))
            ) { build, call throws(CommandError) in
                if call.call.mayAsk {
                    Terminal.out("deletes the preset of \(build): its versions may be removed, and get no patches")
                    try call.call.confirm()
                }
                try call.show(try call.call.ask(.delete, "\(call.path)/\(build)"), "deleted")
                return .success
            },
        ]
    }

    /// The input of all verbs.
    private struct Call: Sendable {
        let call: OperatorCall
        let path: String

        static func reading(_ call: Parameter<OperatorCall>) -> Parameter<Call> {
            Parameter<(AppID, OperatorCall)>(.app, call).map { app, call throws(CommandError) in
                Call(call: call, path: "/apps/\(app)/presets")
            }
        }

        func show(_ preset: JSON, _ verb: String) throws(CommandError) {
            try call.show(preset) { preset throws(CommandError) in Terminal.out("\(verb) \(PresetCommand.line(preset))")
            }
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
        try call.show(try call.call.ask(.post, call.path, .object(members)), "ships:")
    }

    private static func export(
        _ build: VersionString, _ parameters: [(String, String?)], to file: String, _ call: Call
    ) throws(CommandError) {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .usage("--format and --channel must be one word, and --packages must be ids separated by commas")
        }
        let count = try CommandError.asking { () throws(OperatorsError) in
            try call.call.client.download("\(call.path)/\(build)/archive?\(query)", to: file)
        }
        let json = JSON.object(["file": .string(file), "bytes": .integer(Int64(count))])
        Terminal.out(call.call.isJSON ? json.text : "wrote \(file), \(ByteCount.text(count))")
    }

    private static func line(_ preset: JSON) -> String {
        let packages = (preset["packages"]?.members ?? []).map { "\($0.key)@\($0.value.string ?? "")" }
        return ShownText.of("\(preset["appVersion"]?.string ?? "") \(packages.joined(separator: " "))".utf8)
    }
}
