import Ground

/// The command `larder grant`, which grants native APIs to pages outside packages.
enum GrantCommand: Command {
    static let name = "grant"
    static let summary = "grant native APIs to pages outside packages"
    static let about = """
        A page grant names the native APIs that online pages below a path may use until a time. GRANT is a name that the
        operator chooses.
        """

    private static let columns = [
        Column("name", "name", .whole), Column("origin", "origin"), Column("path", "path"),
        Column("expires", "expires", .time), Column("apis", "apis"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all page grants", "GET /apps/{app}/page-grants",
                [
                    .filter("--text", "TEXT", "only those with this text in the name or the URL"),
                    .sort("name", "expires"),
                ], .table("pageGrants", columns)),
            .request("show", "show one page grant", "GET /apps/{app}/page-grants/{grant}", [], .details),
            .request(
                "set", "create a page grant, or replace it", "PUT /apps/{app}/page-grants/{grant}",
                [
                    Field("--origin", "URL", "the scheme, host and port of the pages", isRequired: true),
                    Field("--path", "PATH", "the path, with all below it (default /)"),
                    Field("--apis", "NAME,…", "the native APIs that the pages may use", .list, isRequired: true),
                    Field("--expires", "TIME", "the end, such as 2030-01-31T00:00:00Z", isRequired: true),
                ],
                .line("granted {apis} to {origin}{path}", dryRun: "would grant {apis} to {origin}{path}"),
                isRisky: true, defaults: ["path": "/"]),
            .request(
                "delete", "remove a page grant", "DELETE /apps/{app}/page-grants/{grant}", [],
                .line("removed {name}", dryRun: "would remove {name}"), isRisky: true),
        ]
    }
}
