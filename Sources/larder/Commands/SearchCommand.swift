import Domain
import Ground
import HTTP

/// The command `larder search`, which finds the objects of an app by a text.
enum SearchCommand: Command {
    static let name = "search"
    static let summary = "find packages, versions, releases and device lists"
    static let about = """
        TEXT is a part of the id or the name of a package or of the name of a device list, the beginning of a version,
        or the number of a release, such as '#41'. Prints up to 20 objects of each kind, the newest first.
        """

    /// The largest number of objects of each kind that the server returns.
    private static let limit = 20

    private static let kinds = [
        (title: "Packages", member: "packages", columns: [Column("id", "id", .whole), Column("name", "name")]),
        (
            title: "Versions", member: "versions",
            columns: [
                Column("package", "package", .whole), Column("version", "version"),
                Column("published", "publishedAt", .time),
            ]
        ),
        (
            title: "Releases", member: "releases",
            columns: [
                Column("package", "package", .whole), Column("release", "release", .number),
                Column("version", "version"), Column("channel", "channel"), Column("state", "state", .state),
            ]
        ),
        (
            title: "Device lists", member: "deviceLists",
            columns: [Column("name", "name", .whole), Column("devices", "devices", .number)]
        ),
    ]

    static var verbs: [Verb] {
        [
            Verb(Parameter(.operand("TEXT", "the text to search for is missing"), .app, .reading)) {
                text, app, call throws(CommandError) in
                let query = "text=\(PercentEncoding.encode(text.utf8))&limit=\(limit)"
                let response = try call.ask(.get, "/apps/\(app)/search?\(query)")
                try call.show(response) { response throws(CommandError) in show(response, of: text) }
                return .success
            }
        ]
    }

    private static func show(_ response: JSON, of text: String) {
        var isEmpty = true
        for kind in kinds {
            let objects = response[kind.member]?.elements ?? []
            guard !objects.isEmpty else { continue }
            isEmpty = false
            Terminal.out("\(kind.title):")
            for line in Table(columns: kind.columns, objects: objects).lines() { Terminal.out(line) }
        }
        if isEmpty { Terminal.out("Nothing in the app matches '\(text)'.") }
    }
}
