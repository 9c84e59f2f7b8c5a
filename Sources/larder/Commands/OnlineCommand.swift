import Client
import Domain
import Ground
import HTTP

/// The command `larder online`, which lets the pages of a package come from the network for a while.
enum OnlineCommand: Command {
    static let name = "online"
    static let summary = "let a package's pages come from the network for a while"
    static let about = """
        Tells clients to open the package's pages from the network, and to use the package again afterwards. It says what
        the clients of each kind do: not all know how. Give one of --for, --until and --end.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .packagePath, .option("--for", "LENGTH", "for how long, such as 90m, 2h or 3d; 30d at most"),
                    .option("--until", "TIME", "instead of it, until when"),
                    .flag("--end", "no longer: the package is used again"), .acting)
            ) { path, length, end, isOver, call throws(CommandError) in
                switch (length, end, isOver) {
                case (nil, nil, true):
                    try call.show(try call.ask(.delete, path + "/online")) { _ throws(CommandError) in
                        Terminal.out("the package is used again")
                    }
                case (.some, nil, false), (nil, .some, false):
                    let body: KeyValuePairs<String, JSON?> = [
                        "for": length.map { .string($0) }, "until": end.map { .string($0) },
                    ]
                    try call.show(try call.ask(.post, path + "/online", .object(body))) { answer throws(CommandError) in
                        Terminal.out("pages come from the network until \(ReleaseCall.text(answer["onlineUntil"]))")
                        ReleaseCall.showEffects(answer)
                    }
                default: throw .usage("say one of --for, --until and --end")
                }
                return .success
            }
        ]
    }
}
