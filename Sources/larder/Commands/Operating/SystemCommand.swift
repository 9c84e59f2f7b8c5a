import HTTP

/// The command `larder system`, which shows the state of the server.
enum SystemCommand: Command {
    static let name = "system"
    static let summary = "show the server's version, database, disk space and limits"
    static let about = """
        Prints what the server knows of itself: version, clock, database, free space, recorded devices, connections, and
        the limits in force. Needs a token of an admin of everything. 'larder doctor' checks the data itself.
        """

    static var verbs: [Verb] {
        [
            Verb(Parameter(.reading), route: "GET /system") { call throws(CommandError) in
                try call.show(try call.ask(.get, "/system")) { response throws(CommandError) in
                    for line in Details.lines(response) { Terminal.out(line) }
                }
                return .success
            }
        ]
    }
}
