/// The command `larder build`, which registers builds of the host app.
enum BuildCommand: Command {
    static let name = "build"
    static let summary = "register builds of the host app with their native APIs"
    static let about = """
        A version that needs native APIs ('larder publish --apis') is offered only to devices whose host build is
        registered and has them all. APP_VERSION is the appVersion that the devices of the build send.
        """

    private static let columns = [
        Column("app version", "appVersion", .whole), Column("changed", "changedAt", .time), Column("apis", "apis"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all builds", "GET /apps/{app}/builds",
                [
                    .filter("--text", "TEXT", "only those with this text in the app version"),
                    .filter("--api", "NAME", "only those with this native API"),
                    .sort("appVersion", "changedAt"),
                ], .table("builds", columns)),
            .request("show", "show one build", "GET /apps/{app}/builds/{appVersion}", [], .details),
            .request(
                "set", "register a build, or replace its APIs", "PUT /apps/{app}/builds/{appVersion}",
                [Field("--apis", "NAME,…", "the native APIs that pages can use", .list, isRequired: true)],
                .line("registered {appVersion}", dryRun: "would register {appVersion}")),
            .request(
                "delete", "remove a build", "DELETE /apps/{app}/builds/{appVersion}", [],
                .line("removed {appVersion}", dryRun: "would remove {appVersion}"), isRisky: true),
        ]
    }
}
