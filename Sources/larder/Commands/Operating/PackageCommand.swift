/// The command `larder package`, which manages the packages of an app.
enum PackageCommand: Command {
    static let name = "package"
    static let summary = "list, show, create, change and delete packages"
    static let about = """
        A package is a set of pages that devices load offline. 'create' makes one without versions; 'larder publish'
        adds versions. 'change' sets the given settings and keeps the others; some of them reach devices at once.
        """

    private static let settings = [
        Field("--name", "TEXT", "the name for people (default: the id)"),
        Field("--entry", "PATH", "the entry page, or 'none' (default index.html)", .textOrNone),
        Field("--url-prefix", "PATH", "the URL path of the same pages on the network (default /)"),
        Field("--enable", "true|false", "whether devices get updates", .bool),
        Field("--priority", "N", "the order of downloads, highest first (default 999)", .number),
        Field("--dialects", "NAME,…", "the further client protocols that serve the package", .list),
        Field("--resources", "JSON", "how the dialect resources-json lists the files", .json),
        Field("--permissions", "JSON", "what the pages may use, or 'none' for no statement", .json),
    ]

    private static let columns = [
        Column("id", "id", .whole), Column("name", "name"), Column("url prefix", "urlPrefix"),
        Column("enabled", "enable", .whole), Column("priority", "priority", .number), Column("dialects", "dialects"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all packages", "GET /apps/{app}/packages",
                [
                    .filter("--text", "TEXT", "only those with this text in the id or the name"),
                    .sort("id", "name"),
                ], .table("packages", columns)),
            .request("show", "show one package", "GET /apps/{app}/packages/{package}", [], .details),
            .request(
                "create", "create a package", "PUT /apps/{app}/packages/{package}", settings,
                .line("created the package {id}", dryRun: "would create the package {id}"), condition: .isNew),
            .request(
                "change", "change settings of a package", "PUT /apps/{app}/packages/{package}", settings, .details,
                isRisky: true, condition: .exists),
            .request(
                "delete", "delete a package of which no version was ever published",
                "DELETE /apps/{app}/packages/{package}", [],
                .line("deleted the package {id}", dryRun: "would delete the package {id}"), isRisky: true),
            .request(
                "adoption", "count the devices by the version that they use, and why some have an old one",
                "GET /apps/{app}/packages/{=package}/adoption",
                [
                    Field("--channel", "NAME", "the channel (default 'production')", isInQuery: true),
                    Field("--days", "1|7|30", "the days in which a device was seen (default 7)", isInQuery: true),
                    Field("--release", "N", "the release to compare with (default: the active one)", isInQuery: true),
                ],
                .details),
        ]
    }
}
