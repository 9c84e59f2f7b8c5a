import Ground
import HTTP
import Platform

/// The command `larder audit`, which shows the audit log.
enum AuditCommand: Command {
    static let name = "audit"
    static let summary = "show who changed what, and when"
    static let about = """
        Prints the entries of the audit log, newest first: number, time, actor, action, app and object. --json also shows
        the details. A filter selects entries: --action takes an action, or all of a subject such as 'release.*'.
        --actor and --object take the whole text. It requires an admin's token.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .options([
                        OptionShape(
                            name: "--actor", placeholder: "NAME", help: "only of this actor, such as 'ci (#2)'"),
                        OptionShape(name: "--action", placeholder: "ACTION", help: "only this action"),
                        OptionShape(
                            name: "--object", placeholder: "TEXT", help: "only of this object, such as news@1.2.0"),
                        OptionShape(name: "--app", placeholder: "ID", help: "only of this app (default: all)"),
                        OptionShape(
                            name: "--since", placeholder: "TIME",
                            help: "only from this time on, such as 2026-12-01T08:00:00+08:00"),
                        OptionShape(name: "--until", placeholder: "TIME", help: "only before this time"),
                        OptionShape(
                            name: "--before", placeholder: "ID", help: "only before the entry with this number"),
                        OptionShape(
                            name: "--limit", placeholder: "N",
                            help: "the number of entries, at most 1000 (default 200)"),
                    ]),
                    .flag("--all", "print all entries, page after page; with --json a page is a line"),
                    .reading), route: "GET /audit"
            ) { options, isWhole, call throws(CommandError) in
                var before = options["--before"]
                while true {
                    let response = try call.ask(.get, path(options, before: before))
                    try call.show(response) { response throws(CommandError) in show(response) }
                    let entries = response["entries"]?.elements ?? []
                    let limit = options["--limit"].flatMap { Int($0) } ?? AuditLog.page
                    guard isWhole, entries.count >= limit, let last = entries.last?["id"]?.integer else {
                        return .success
                    }
                    before = String(last)
                }
            }
        ]
    }

    private static let columns = [
        Column("id", "id", .number), Column("time", "time", .time), Column("actor", "actor"),
        Column("action", "action", .whole), Column("app", "app"), Column("object", "subject"),
    ]

    private static func path(_ options: [String: String], before: String?) -> String {
        let names = ["actor", "action", "object", "app", "since", "until", "limit"]
        var parameters = names.compactMap { name in options["--\(name)"].map { (name, $0) } }
        if let before { parameters.append(("before", before)) }
        guard !parameters.isEmpty else { return "/audit" }
        return "/audit?" + parameters.map { "\($0.0)=\(PercentEncoding.encode($0.1.utf8))" }.joined(separator: "&")
    }

    private static func show(_ response: JSON) {
        for line in Table(columns: columns, objects: response["entries"]?.elements ?? []).lines() { Terminal.out(line) }
    }
}
