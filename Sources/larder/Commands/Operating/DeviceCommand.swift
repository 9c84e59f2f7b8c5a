import Domain
import Ground
import HTTP

/// The command `larder device`, which shows and erases single devices, and lists the facts that devices send.
enum DeviceCommand: Command {
    static let name = "device"
    static let summary = "show what devices send and are offered, and erase a device"
    static let about = """
        DEVICE is the id that the device sends. 'erase' removes it from the devices seen, the stored reports and the
        device lists of the app, and prints a receipt. 'facts' takes no DEVICE: it lists the values that at least two
        devices of a channel sent, each with the number of devices. 'larder explain' explains the releases of any device.
        """

    private static let path = Parameter<(AppID, String)>(.app, .operand("DEVICE", "the id of the device is missing"))
        .map { app, device throws(CommandError) in
            // In the query, since an id may contain a slash.
            "/apps/\(app)/devices?id=\(PercentEncoding.encode(device.utf8))"
        }

    private static let columns = [
        Column("fact", "fact", .whole), Column("value", "value"), Column("devices", "devices", .number),
    ]

    /// Returns the values of a fact, each as an object with the fact.
    private static func values(of entry: JSON) -> [JSON] {
        (entry["values"]?.elements ?? []).map { value in
            .object(["fact": entry["fact"], "value": value["value"], "devices": value["devices"]])
        }
    }

    static var verbs: [Verb] {
        [
            Verb("show", "show what a device sent, its last reports, and what it is offered", Parameter(path, .reading))
            {
                path, call throws(CommandError) in
                try call.show(try call.ask(.get, path)) { response throws(CommandError) in
                    for line in Details.lines(response) { Terminal.out(line) }
                }
                return .success
            },
            Verb(
                "facts", "list the facts that devices send, which the rules of a release may compare",
                Parameter(.app, .option("--channel", "NAME", "the channel (default 'production')"), .reading),
                route: "GET /apps/{app}/device-facts"
            ) { app, channel, call throws(CommandError) in
                let query = channel.map { "?channel=" + PercentEncoding.encode($0.utf8) } ?? ""
                try call.show(try call.ask(.get, "/apps/\(app)/device-facts" + query)) {
                    response throws(CommandError) in
                    let rows = (response["facts"]?.elements ?? []).flatMap(values(of:))
                    if Terminal.isOutputTerminal {
                        let (devices, days) = (
                            OperatorCall.text(response["devices"]), OperatorCall.text(response["days"])
                        )
                        Terminal.error("Counted over \(devices) devices of the last \(days) days.")
                    }
                    for line in Table(columns: columns, objects: rows).lines() { Terminal.out(line) }
                }
                return .success
            },
            Verb("erase", "erase a device for good", Parameter(path, .confirmed(.acting))) {
                path, call throws(CommandError) in
                func show(_ response: JSON, _ call: OperatorCall) throws(CommandError) {
                    try call.show(response) { response throws(CommandError) in
                        for line in Details.lines(response) { Terminal.out(line) }
                    }
                }
                try show(try call.askConfirmed(.delete, path, nil, show), call)
                return .success
            },
        ]
    }
}
