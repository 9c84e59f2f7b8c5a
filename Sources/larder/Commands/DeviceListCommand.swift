import Client
import Domain
import Ground
import HTTP

/// The command `larder device-list`, which manages the device lists that releases can name.
enum DeviceListCommand: Command {
    static let name = "device-list"
    static let summary = "upload and list the device lists that releases use"
    static let about = """
        A release can use device lists to include devices at any percentage (--whitelist) or to exclude them
        (--excluded). 'put' uploads FILE, one device id on each line, as the list NAME; it creates the list or replaces
        its content, and releases that use the list follow at once.
        """

    private static let path = Parameter<AppID>.app.map { app throws(CommandError) in "/apps/\(app)/device-lists" }

    static var verbs: [Verb] {
        [
            Verb(
                "put", "create a list of the device ids in FILE, or replace its content",
                Parameter(.operands("NAME FILE", upTo: 2), path, .changing),
                route: "PUT /apps/{app}/device-lists/{list}"
            ) {
                words, path, call throws(CommandError) in
                guard words.count == 2 else { throw .usage("give the name of the list and a file") }
                guard let name = DeviceListName(words[0]) else {
                    throw .usage("'\(words[0])' is not a valid list name: \(DeviceListName.shape)")
                }
                let response = try CommandError.asking { () throws(OperatorsError) in
                    try call.client.upload("\(path)/\(name)", fileAt: words[1], ifMatch: call.precondition)
                }
                try call.show(response) { response throws(CommandError) in
                    Terminal.out("\(name): \(OperatorCall.text(response["devices"])) devices")
                }
                return .success
            },
            show("list"), show("show"),
            .request(
                "delete", "delete a device list that no release has named", "DELETE /apps/{app}/device-lists/{list}",
                [],
                .line("deleted {name}", dryRun: "would delete {name}"), isRisky: true),
        ]
    }

    /// Returns the verb that shows all lists; `show` is its earlier name.
    private static func show(_ name: String) -> Verb {
        .request(
            name, "show the name, the size and the revision of each list", "GET /apps/{app}/device-lists",
            [
                .filter("--text", "TEXT", "only those with this text in the name"),
                .sort("name", "changedAt", "devices"),
            ],
            .table(
                "deviceLists",
                [
                    Column("name", "name", .whole), Column("devices", "devices", .number),
                    Column("revision", "revision", .number), Column("changed", "changedAt", .time),
                ]))
    }
}
