import Client
import Domain
import HTTP

/// `larder device-list`: lists of devices that releases can name.
enum DeviceListCommand: Command {
    static let name = "device-list"
    static let summary = "keep lists of devices for releases"
    static let help = """
        usage: larder device-list put NAME FILE [OPTION …]
               larder device-list show [OPTION …]

        'put' sends a file with one device id a line, which makes the list or takes the place of what was on it;
        releases that name it follow at once.

          --app ID           the app (default 'default')
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        guard let verb = arguments.first else { throw .usage("say put or show") }
        let parsed = try Arguments(
            Array(arguments.dropFirst()), valued: ServerOptions.valued.union(["--app"]), flags: ["--json"])
        let path = "/apps/\(try AppOptions(parsed).app)/device-lists"
        let client = try ServerOptions(parsed).client()
        switch verb {
        case "put":
            guard parsed.positional.count == 2 else { throw .usage("name a list and a file") }
            guard let name = DeviceListName(parsed.positional[0]) else {
                throw .usage("'\(parsed.positional[0])' is no name of a list: \(DeviceListName.shape)")
            }
            let answer = try CommandError.asking { () throws(OperatorsError) in
                try client.upload("\(path)/\(name)", fileAt: parsed.positional[1])
            }
            if parsed.has("--json") { return show(answer.text) }
            return show("\(name): \(ReleaseCall.text(answer["devices"])) devices")
        case "show":
            try parsed.refusePositional(past: 0)
            let answer = try CommandError.asking { () throws(OperatorsError) in try client.call(.get, path).body }
            if parsed.has("--json") { return show(answer.text) }
            for list in answer["deviceLists"]?.elements ?? [] {
                Terminal.out("\(ReleaseCall.text(list["name"])): \(ReleaseCall.text(list["devices"])) devices")
            }
            return .success
        default: throw .usage("'\(verb)' is neither put nor show")
        }
    }

    private static func show(_ line: String) -> ExitCode {
        Terminal.out(line)
        return .success
    }
}
