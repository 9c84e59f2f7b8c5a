import Ground

/// The command `larder webhook`, which manages the webhooks of an app.
enum WebhookCommand: Command {
    static let name = "webhook"
    static let summary = "send changes of an app to other programs, and show the deliveries"
    static let about = """
        A webhook sends entries of the audit log to a URL (docs/webhooks.md). 'create' and 'rotate-secret' print the
        secret that verifies the messages, which cannot be shown again. All verbs require an admin's token.
        """

    private static let columns = [
        Column("id", "id", .number), Column("kind", "kind", .whole), Column("state", "state", .state),
        Column("failures", "failures", .number), Column("events", "events"), Column("url", "url"),
    ]
    private static let attempts = [
        Column("number", "number", .number), Column("time", "time", .time), Column("event", "event", .whole),
        Column("outcome", "outcome", .whole), Column("status", "status", .number),
        Column("ms", "milliseconds", .number), Column("reason", "reason"),
    ]
    private static let events = Field(
        "--events", "ACTION,…", "actions of the audit log, such as 'release.*' (default: all)", .list)
    private static let secret = Field(
        "--secret-file", "PATH", "a file with the secret of a robot of Feishu or DingTalk", .file, as: "secret")

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all webhooks", "GET /apps/{app}/webhooks",
                [
                    .filter("--state", "STATE", "only those in this state"),
                    .filter("--kind", "KIND", "only those of this kind"),
                ], .table("webhooks", columns)),
            .request("show", "show one webhook", "GET /apps/{app}/webhooks/{webhook}", [], .details),
            .request(
                "create", "create a webhook", "POST /apps/{app}/webhooks",
                [
                    Field("--url", "URL", "the URL that gets the messages", isRequired: true), events,
                    Field(
                        "--kind", "standard|slack|feishu|dingtalk", "the format of the messages (default standard)"),
                    secret,
                ],
                .details),
            .request(
                "change", "change the URL, the events or the secret of a webhook",
                "PATCH /apps/{app}/webhooks/{webhook}",
                [Field("--url", "URL", "the URL that gets the messages"), events, secret], .details),
            .request(
                "delete", "delete a webhook", "DELETE /apps/{app}/webhooks/{webhook}", [],
                .line("deleted #{id} {url}", dryRun: "would delete #{id} {url}"), isRisky: true),
            .request(
                "rotate-secret", "generate a new secret", "POST /apps/{app}/webhooks/{webhook}/rotate-secret",
                [
                    Field(
                        "--overlap-hours", "N", "the hours in which the previous secret signs as well (default 24)",
                        .number)
                ],
                .details),
            .request(
                "pause", "stop the deliveries", "POST /apps/{app}/webhooks/{webhook}/pause", [],
                .line("paused #{id}", dryRun: "would pause #{id}")),
            .request(
                "resume", "continue the deliveries, at once", "POST /apps/{app}/webhooks/{webhook}/resume",
                [Field("--skip", "", "drop the entries that wait", .flag(true))],
                .line("resumed #{id}", dryRun: "would resume #{id}")),
            .request(
                "test", "send a test message", "POST /apps/{app}/webhooks/{webhook}/test", [], .details,
                isRehearsable: false),
            .request(
                "deliveries", "show the last attempts", "GET /apps/{app}/webhooks/{webhook}/deliveries",
                [.filter("--outcome", "OUTCOME", "only those with this outcome")],
                .table("deliveries", attempts)),
        ]
    }
}
