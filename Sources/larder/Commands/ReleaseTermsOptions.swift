import Domain
import Ground

/// The options for the terms of a release or a release set.
extension Parameter where Value == [JSON.Member] {
    static var terms: Parameter<[JSON.Member]> { joined(.moment, .share, .audience, .behavior) }

    /// The options for the channel and the activeTime.
    private static var moment: Parameter<[JSON.Member]> {
        joined(
            text("channel", "--channel", "NAME", "the channel (default 'production')"),
            text(
                "activeTime", "--at", "TIME", "the moment from which it takes effect, such as 2026-12-01T08:00:00+08:00"
            ),
            set("now", "--now", "begin at once, although the moment of --at has passed"),
            set("again", "--again", "make it although a release offers the same already"))
    }

    private static var share: Parameter<[JSON.Member]> {
        let percent = Parameter<String?>.option("--percent", "P", "the share of devices, 0 to 100")
        let plan = Parameter<String?>.option(
            "--plan", "STEPS", "instead of it, steps after the moment: 1@0s,10@2h,100@1d")
        return joined(
            percent.map { text throws(CommandError) in
                guard let text else { return [] }
                return [.init(ReleaseTerms.Name.percent, try ReleaseOptions.number(text, "--percent"))]
            },
            plan.map { text throws(CommandError) in
                guard let text else { return [] }
                return [.init(ReleaseTerms.Name.plan, try ReleaseOptions.plan(text))]
            })
    }

    private static var audience: Parameter<[JSON.Member]> {
        let rules = Parameter<String?>.option(
            "--rules", "JSON", #"rules that all have to be met: [{"fact": "region", "in": ["CN"]}]"#)
        return joined(
            text(
                ReleaseTerms.Name.whitelist, "--whitelist", "NAME",
                "a list of devices that are in whatever the percentage ('larder device-list')"),
            text(ReleaseTerms.Name.excluded, "--excluded", "NAME", "a list of devices that are never in"),
            rules.map { text throws(CommandError) in
                guard let text else { return [] }
                guard let rules = JSON(parsing: Array(text.utf8)) else { throw .usage("--rules is not JSON") }
                return [.init(ReleaseTerms.Name.rules, rules)]
            })
    }

    private static var behavior: Parameter<[JSON.Member]> {
        joined(
            text(ReleaseTerms.Name.updateMode, "--update-mode", "M", "silent, prompt or immediate (default silent)"),
            set(ReleaseTerms.Name.mandatory, "--mandatory", "devices have to update before they open the package"),
            set(ReleaseTerms.Name.wifiOnly, "--wifi-only", "devices are to download it over Wi-Fi alone"))
    }

    /// The options for the schedule of downloads before the activeTime.
    static var downloads: Parameter<[JSON.Member]> {
        Parameter<(String?, String?, String?)>(
            .option("--download-rate", "N", "bytes a second that the downloads ahead of --at may come to together"),
            .option("--devices", "N", "with it, how many devices the release is for"),
            .option(
                "--download-from", "T",
                "with it, when the first devices download; at least five minutes from now (default: then)")
        ).map { rate, devices, opening throws(CommandError) in
            guard rate != nil || devices != nil || opening != nil else { return [] }
            guard let rate = rate.flatMap({ Int64($0) }), let devices = devices.flatMap({ Int64($0) }) else {
                throw .usage("--download-rate and --devices are whole numbers, and go together")
            }
            let members: KeyValuePairs<String, JSON?> = [
                "bytesPerSecond": .integer(rate), "devices": .integer(devices), "from": opening.map { .string($0) },
            ]
            return [.init(ReleaseTerms.Name.downloads, .object(members))]
        }
    }

    private static func text(
        _ key: String, _ name: String, _ placeholder: String, _ help: String
    ) -> Parameter<[JSON.Member]> {
        Parameter<String?>.option(name, placeholder, help).map { text throws(CommandError) in
            text.map { [.init(key, .string($0))] } ?? []
        }
    }

    private static func set(_ key: String, _ name: String, _ help: String) -> Parameter<[JSON.Member]> {
        Parameter<Bool>.flag(name, help).map { isSet throws(CommandError) in isSet ? [.init(key, true)] : [] }
    }

    private static func joined(_ parts: Parameter<[JSON.Member]>...) -> Parameter<[JSON.Member]> {
        parts.dropFirst().reduce(parts[0]) { all, part in
            Parameter<([JSON.Member], [JSON.Member])>(all, part).map { $0 + $1 }
        }
    }
}

/// The parsers of the values of release options.
enum ReleaseOptions {
    static func number(_ text: String, _ option: String) throws(CommandError) -> JSON {
        guard BasisPoints(percent: text) != nil, let number = JSON(parsing: Array(text.utf8)) else {
            throw .usage("\(option) must be \(BasisPoints.shape)")
        }
        return number
    }

    fileprivate static func plan(_ text: String) throws(CommandError) -> JSON {
        var steps: [JSON] = []
        for step in text.split(separator: ",") {
            let parts = step.split(separator: "@").map(String.init)
            guard parts.count == 2 else { throw .usage("--plan takes steps such as 1@0s,10@2h, and '\(step)' is none") }
            steps.append(.object(["percent": try number(parts[0], "--plan"), "after": .string(parts[1])]))
        }
        return .array(steps)
    }
}

extension Parameter where Value == JSON {
    /// The body of a request that widens a release.
    static var widening: Parameter<JSON> {
        Parameter<String>.required("--percent", "P", "the share of devices, 0 to 100").map {
            text throws(CommandError) in
            .object(["percent": try ReleaseOptions.number(text, "--percent")])
        }
    }

    /// The body of a request that reschedules a release.
    static var moving: Parameter<JSON> {
        Parameter<String>.required(
            "--at", "TIME", "the moment from which it takes effect, such as 2026-12-01T08:00:00+08:00"
        )
        .map { text throws(CommandError) in .object(["activeTime": .string(text)]) }
    }
}
