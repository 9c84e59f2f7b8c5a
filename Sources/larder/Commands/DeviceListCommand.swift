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
        its content, and releases that use the list follow at once. 'show' prints the name, size and revision of each
        list.
        """

    private static let path = Parameter<AppID>.app.map { app throws(CommandError) in "/apps/\(app)/device-lists" }

    static var verbs: [Verb] {
        [
            Verb("put", Parameter(.operands("NAME FILE", upTo: 2), path, .changing)) {
                words, path, call throws(CommandError) in
                guard words.count == 2 else { throw .usage("give the name of the list and a file") }
                guard let name = DeviceListName(words[0]) else {
                    throw .usage("'\(words[0])' is not a valid list name: \(DeviceListName.shape)")
                }
                let response = try CommandError.asking { () throws(OperatorsError) in
                    try call.client.upload("\(path)/\(name)", fileAt: words[1], ifMatch: call.tag)
                }
                try call.show(response) { response throws(CommandError) in
                    Terminal.out("\(name): \(ReleaseCall.text(response["devices"])) devices")
                }
                return .success
            },
            Verb("show", Parameter(path, .reading)) { path, call throws(CommandError) in
                try call.show(try call.ask(.get, path)) { response throws(CommandError) in
                    for list in response["deviceLists"]?.elements ?? [] {
                        Terminal.out(
                            "\(ReleaseCall.text(list["name"])): \(ReleaseCall.text(list["devices"])) devices, revision "
                                + ReleaseCall.text(list["revision"]))
                    }
                }
                return .success
            },
        ]
    }
}
