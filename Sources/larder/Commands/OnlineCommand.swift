import Client
import Domain
import Ground
import HTTP

/// The command `larder online`, which lets the pages of a package come from the network for a while.
enum OnlineCommand: Command {
    static let name = "online"
    static let summary = "let devices load a package's pages from the network for a while"
    static let about = """
        Makes clients load the pages of the package from the network until a given time, and from the package again
        afterwards. It prints how each kind of client reacts, since not all kinds support this. Exactly one of --for,
        --until and --end is required.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .packagePath, .option("--for", "DURATION", "how long from now, such as 90m, 2h or 3d; at most 30d"),
                    .option("--until", "TIME", "the end, such as 2026-12-01T08:00:00+08:00; at most 30 days ahead"),
                    .flag("--end", "end it now: devices use the package again"), .acting),
                route: "POST /apps/{app}/packages/{package}/online"
            ) { path, length, end, isOver, call throws(CommandError) in
                switch (length, end, isOver) {
                case (nil, nil, true):
                    try call.show(try call.ask(.delete, path + "/online")) { _ throws(CommandError) in
                        Terminal.out("devices use the package again")
                    }
                case (.some, nil, false), (nil, .some, false):
                    let body: KeyValuePairs<String, JSON?> = [
                        "for": length.map { .string($0) }, "until": end.map { .string($0) },
                    ]
                    try call.show(try call.ask(.post, path + "/online", .object(body))) {
                        response throws(CommandError) in
                        Terminal.out(
                            "pages are loaded from the network until \(OperatorCall.text(response["onlineUntil"]))")
                        OperatorCall.showEffects(response)
                    }
                default: throw .usage("give exactly one of --for, --until and --end")
                }
                return .success
            }
        ]
    }
}
