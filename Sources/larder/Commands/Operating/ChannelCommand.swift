/// The command `larder channel`, which manages the channels of an app.
enum ChannelCommand: Command {
    static let name = "channel"
    static let summary = "list, create, protect and delete the channels of an app"
    static let about = """
        A channel is a stream of releases that devices follow: each device reads the releases of one channel. Every app
        has the channel 'production', which commands use without --channel. On a protected channel, a second person
        approves each change that starts or widens a release ('larder approval').
        """

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all channels", "GET /apps/{app}/channels",
                [.filter("--text", "TEXT", "only those with this text in the name")],
                .table("channels", [Column("name", "name", .whole), Column("approvals", "approvals", .number)])),
            .request("show", "show one channel", "GET /apps/{app}/channels/{channel}", [], .details),
            .request(
                "delete", "delete a channel that nothing uses", "DELETE /apps/{app}/channels/{channel}", [],
                .line("deleted the channel {name}", dryRun: "would delete the channel {name}"), isRisky: true),
            .request(
                "create", "create a channel", "PUT /apps/{app}/channels/{channel}", [],
                .line("created the channel {name}", dryRun: "would create the channel {name}")),
            .request(
                "change", "protect a channel, or end its protection; only admins of the app may",
                "PUT /apps/{app}/channels/{channel}",
                [
                    Field(
                        "--approvals", "0|1", "the number of further persons who approve a release", .number,
                        isRequired: true)
                ], .details, condition: .exists),
        ]
    }
}
