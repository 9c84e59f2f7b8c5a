/// The command `larder app`, which manages apps.
enum AppCommand: Command {
    static let name = "app"
    static let summary = "list and create apps, and set the health rules of their releases"
    static let about = """
        An app has its own packages, channels, keys and devices. The first start creates the app 'default', which every
        command acts on without --app.
        """

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all apps", "GET /apps",
                [.filter("--text", "TEXT", "only those with this text in the id")],
                .table("apps", [Column("id", "id", .whole)])),
            .request("show", "show one app", "GET /apps/{app}", [], .details),
            .request(
                "create", "create an app with its keys and the channel 'production'", "PUT /apps/{app}", [],
                .line("created the app {id}", dryRun: "would create the app {id}")),
            .request(
                "health", "show the health rules of an app's new releases", "GET /apps/{=app}/health", [], .details),
            .request(
                "set-health", "replace the health rules of an app's new releases", "PUT /apps/{=app}/health",
                [
                    Field("--rules", "JSON", "the rules; [] for none", .json, isRequired: true),
                    Field("--devices", "N", "the devices that must report before a rule decides", .number),
                    Field("--window", "DURATION", "the time whose reports are judged together, such as 1d"),
                    Field("--cool-down", "DURATION", "the time after a resumption that is not judged, such as 1h"),
                ],
                .details),
        ]
    }
}
