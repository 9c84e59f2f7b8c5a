/// The command `larder channel`, which manages the channels of an app.
enum ChannelCommand: Command {
    static let name = "channel"
    static let summary = "list and create the channels of an app"
    static let about = """
        A channel is a stream of releases that devices follow: each device reads the releases of one channel. Every app
        has the channel 'production', which commands use without --channel.
        """

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all channels", "GET /apps/{app}/channels", [],
                .table("channels", [Column("name", "name", .whole)])),
            .request(
                "create", "create a channel", "PUT /apps/{app}/channels/{channel}", [],
                .line("created the channel {name}", dryRun: "would create the channel {name}")),
        ]
    }
}
