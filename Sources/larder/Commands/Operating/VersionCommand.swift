/// The command `larder version`, which shows and retires the versions of a package.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "list, show, compare and retire versions"
    static let about = """
        'larder publish' makes versions. A version never changes, except for its notes. 'retire' prevents further
        releases of a version; devices that have it keep it.
        """

    private static let columns = [
        Column("version", "version", .whole), Column("published", "createdAt", .time),
        Column("files", "files", .number), Column("download", "archiveBytes", .bytes), Column("author", "author"),
        Column("commit", "commit"), Column("retired", "retired.reason"),
    ]
    private static let files = [
        Column("path", "path"), Column("size", "size", .bytes), Column("type", "type", .whole),
    ]
    private static let archives = [
        Column("layout", "layout", .whole), Column("size", "size", .bytes), Column("sha256", "sha256"),
        Column("url", "url"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all versions of a package, in the order of publishing",
                "GET /apps/{app}/packages/{package}/versions",
                [
                    .filter("--prefix", "TEXT", "only those that begin with this text, such as 3."),
                    .filter("--state", "releasable|retired", "only those that can be released, or cannot"),
                    .sort("published"),
                ], .table("versions", columns)),
            .request(
                "show", "show a version with its findings and files",
                "GET /apps/{app}/packages/{package}/versions/{version}", [], .details),
            .request(
                "files", "show the files of a version", "GET /apps/{app}/packages/{package}/versions/{version}/files",
                [], .table("files", files, isPaged: false)),
            .request(
                "diff", "show what changed from VERSION to OTHER",
                "GET /apps/{app}/packages/{package}/versions/{version}/diff/{other}", [], .details),
            .request(
                "notes", "replace the notes of a version",
                "PUT /apps/{app}/packages/{package}/versions/{version}/notes",
                [Field("--notes", "TEXT", "the notes, or 'none'", .textOrNone, isRequired: true)],
                .line("changed the notes of {version}", dryRun: "would change the notes of {version}")),
            .request(
                "retire", "prevent further releases of a version",
                "POST /apps/{app}/packages/{package}/versions/{version}/retire",
                [Field("--reason", "TEXT", "why nobody may release it", isRequired: true)],
                .line("retired {version}", dryRun: "would retire {version}"), isRisky: true),
            .request(
                "unretire", "allow releases of a retired version again",
                "POST /apps/{app}/packages/{package}/versions/{version}/unretire", [],
                .line("{version} can be released again", dryRun: "would allow releases of {version}")),
            .request(
                "archives", "show the full archives of a version",
                "GET /apps/{app}/packages/{package}/versions/{version}/archives", [], .table("archives", archives)),
            .request(
                "build-archive", "build a full archive in LAYOUT: app-folder, flat, top-folder or base-names",
                "PUT /apps/{app}/packages/{package}/versions/{version}/archives/{layout}", [], .details),
        ]
    }
}
