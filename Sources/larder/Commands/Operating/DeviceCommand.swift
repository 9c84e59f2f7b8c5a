import Domain
import Ground
import HTTP

/// The command `larder device`, which shows and erases single devices.
enum DeviceCommand: Command {
    static let name = "device"
    static let summary = "show what a device sent and is offered, and erase it"
    static let about = """
        DEVICE is the id that the device sends. 'erase' removes it from the devices seen, the stored reports and the
        device lists of the app, and prints a receipt. 'facts' shows no single device, but the values that several devices
        sent. 'larder explain' explains the releases of any device.
        """

    private static let path = Parameter<(AppID, String)>(.app, .operand("DEVICE", "the id of the device is missing"))
        .map { app, device throws(CommandError) in
            // In the query, since an id may contain a slash.
            "/apps/\(app)/devices?id=\(PercentEncoding.encode(device.utf8))"
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
            .request(
                "facts", "show the facts that devices send, which the rules of a release may compare",
                "GET /apps/{app}/device-facts",
                [Field("--channel", "NAME", "the channel (default 'production')", isInQuery: true)], .details),
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
