import Client
import Domain
import Ground
import HTTP

/// The command `larder device-list`, which manages the device lists that releases can name.
enum DeviceListCommand: Command {
    static let name = "device-list"
    static let summary = "keep lists of devices for releases"
    static let about = """
        'put' sends a file with one device id a line, which makes the list or takes the place of what was on it;
        releases that name it follow at once.
        """

    private static let path = Parameter<AppID>.app.map { app throws(CommandError) in "/apps/\(app)/device-lists" }

    static var verbs: [Verb] {
        [
            Verb("put", Parameter(.operands("NAME FILE", upTo: 2), path, .changing)) {
                words, path, call throws(CommandError) in
                guard words.count == 2 else { throw .usage("name a list and a file") }
                guard let name = DeviceListName(words[0]) else {
                    throw .usage("'\(words[0])' is no name of a list: \(DeviceListName.shape)")
                }
                let answer = try CommandError.asking { () throws(OperatorsError) in
                    try call.client.upload("\(path)/\(name)", fileAt: words[1], ifMatch: call.tag)
                }
                try call.show(answer) { answer throws(CommandError) in
                    Terminal.out("\(name): \(ReleaseCall.text(answer["devices"])) devices")
                }
                return .success
            },
            Verb("show", Parameter(path, .reading)) { path, call throws(CommandError) in
                try call.show(try call.ask(.get, path)) { answer throws(CommandError) in
                    for list in answer["deviceLists"]?.elements ?? [] {
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
