import Domain
import Ground

/// The options for the terms of a release or a release set.
extension Parameter where Value == [JSON.Member] {
    static var terms: Parameter<[JSON.Member]> { all([.moment, .share, .audience, .behavior, .health]) }

    private static var health: Parameter<[JSON.Member]> {
        Parameter<String?>.option(
            "--health", "JSON",
            #"the rules by which the server stops the release, such as {"rules": [{"metric": "crashes", "ceiling": 2}]}, "#
                + "or 'none' (default: those of the app)"
        ).map { text throws(CommandError) in
            guard let text else { return [] }
            return [.init(ReleaseTerms.Name.health, try ReleaseOptions.health(text))]
        }
    }

    /// The options for the channel and the activeTime.
    private static var moment: Parameter<[JSON.Member]> {
        all([
            text("channel", "--channel", "NAME", "the channel (default 'production'; a pre-release has no default)"),
            text(
                "activeTime", "--at", "TIME",
                "the time at which the release begins, such as 2026-12-01T08:00:00+08:00 (default: now)"
            ),
            set("now", "--now", "accept a time in the past as --at, and begin at once"),
            set("again", "--again", "create another release although one offers the version on the same terms already"),
        ])
    }

    private static var share: Parameter<[JSON.Member]> {
        let percent = Parameter<String?>.option(
            "--percent", "P", "the percentage of devices, 0 to 100")
        let plan = Parameter<String?>.option(
            "--plan", "STEPS",
            "a rollout plan instead of --percent: percentages, each with a delay after the release begins, such as "
                + "1@0s,10@2h,100@1d; 100@1d@without-rules is a step that drops --rules")
        return all([
            percent.map { text throws(CommandError) in
                guard let text else { return [] }
                return [.init(ReleaseTerms.Name.percent, try ReleaseOptions.number(text, "--percent"))]
            },
            plan.map { text throws(CommandError) in
                guard let text else { return [] }
                return [.init(ReleaseTerms.Name.plan, try ReleaseOptions.plan(text))]
            },
        ])
    }

    private static var audience: Parameter<[JSON.Member]> {
        let rules = Parameter<String?>.option(
            "--rules", "JSON",
            #"conditions on facts of a device, all of which must be met: [{"fact": "region", "in": ["CN"]}]"#)
        return all([
            text(
                ReleaseTerms.Name.whitelist, "--whitelist", "NAME",
                "the device list whose devices get the release at any percentage; --percent is then 0 by default"),
            text(
                ReleaseTerms.Name.excluded, "--excluded", "NAME",
                "the device list whose devices never get the release"),
            rules.map { text throws(CommandError) in
                guard let text else { return [] }
                guard let rules = JSON(parsing: Array(text.utf8)) else { throw .usage("--rules is not valid JSON") }
                return [.init(ReleaseTerms.Name.rules, rules)]
            },
        ])
    }

    private static var behavior: Parameter<[JSON.Member]> {
        all([
            text(
                ReleaseTerms.Name.updateMode, "--update-mode", "silent|prompt|immediate",
                "when devices install the version: silent (the next time they open the package), prompt (after asking "
                    + "the user) or immediate (default silent)"),
            set(ReleaseTerms.Name.mandatory, "--mandatory", "devices must update before they open the package"),
            set(ReleaseTerms.Name.wifiOnly, "--wifi-only", "devices download the version only over Wi-Fi"),
        ])
    }

    /// The options for the schedule of downloads before the activeTime.
    static var downloads: Parameter<[JSON.Member]> {
        Parameter<(String?, String?, String?)>(
            .option(
                "--download-rate", "N",
                "spread the downloads before --at so that all devices together use up to N bytes a second; requires "
                    + "--devices"),
            .option("--devices", "N", "with --download-rate: the expected number of devices"),
            .option(
                "--download-from", "TIME",
                "with --download-rate: the time at which the downloads begin, at least five minutes from now (default: "
                    + "five minutes from now)")
        ).map { rate, devices, opening throws(CommandError) in
            guard rate != nil || devices != nil || opening != nil else { return [] }
            guard let rate = rate.flatMap({ Int64($0) }), let devices = devices.flatMap({ Int64($0) }) else {
                throw .usage("--download-rate and --devices must be given together, as whole numbers")
            }
            let members: KeyValuePairs<String, JSON?> = [
                "bytesPerSecond": .integer(rate), "devices": .integer(devices), "from": opening.map { .string($0) },
            ]
            return [.init(ReleaseTerms.Name.downloads, .object(members))]
        }
    }

    /// The options for the lowest version that devices may update from, and for the order of devices.
    static var floor: Parameter<[JSON.Member]> {
        Parameter<(String?, String?, String?, String?)>(
            .option("--floor", "VERSION", "do not offer the release to devices that use an older version than this"),
            .option("--floor-reason", "TEXT", "with --floor: the reason, for operators"),
            .option(
                "--floor-without-have", "offer|withhold",
                "with --floor: what happens to devices that do not send their versions (default withhold)"),
            .option(
                "--same-audience-as", "RELEASE",
                "use the order of devices of this release, so that a percentage covers the same devices")
        ).map { version, reason, withoutHave, other throws(CommandError) in
            var members: [JSON.Member] = []
            if let version {
                members.append(
                    .init(
                        ReleaseTerms.Name.floor,
                        .object([
                            "version": .string(version), "reason": .string(reason ?? ""),
                            "withoutHave": .string(withoutHave ?? Floor.Behavior.withhold.rawValue),
                        ])))
            } else if reason != nil || withoutHave != nil {
                throw .usage("--floor-reason and --floor-without-have require --floor")
            }
            if let other {
                guard let number = Int64(other) else { throw .usage("--same-audience-as must be a number") }
                members.append(.init("sameAudienceAs", .integer(number)))
            }
            return members
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
}

/// The parsers of the values of release options.
enum ReleaseOptions {
    static func number(_ text: String, _ option: String) throws(CommandError) -> JSON {
        guard BasisPoints(percent: text) != nil, let number = JSON(parsing: Array(text.utf8)) else {
            throw .usage("\(option) must be \(BasisPoints.shape)")
        }
        return number
    }

    /// Parses health rules, or `none`.
    fileprivate static func health(_ text: String) throws(CommandError) -> JSON {
        guard text != "none" else { return .object(["rules": .array([])]) }
        guard let rules = JSON(parsing: Array(text.utf8)) else { throw .usage("--health is not valid JSON") }
        return rules
    }

    /// The name of a step from which on the rules do not apply.
    private static let withoutRules = "without-rules"

    fileprivate static func plan(_ text: String) throws(CommandError) -> JSON {
        var steps: [JSON] = []
        for step in text.split(separator: ",") {
            let parts = step.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
            let isWithoutRules = parts.count == 3 && parts[2] == withoutRules
            guard parts.count == 2 || isWithoutRules else {
                throw .usage(
                    "--plan must be steps such as 1@0s,10@2h,100@1d@\(withoutRules); '\(step)' is not a step")
            }
            steps.append(
                .object([
                    "percent": try number(parts[0], "--plan"), "after": .string(parts[1]),
                    ReleaseTerms.Name.withoutRules: isWithoutRules ? true : nil,
                ]))
        }
        return .array(steps)
    }
}

extension Parameter where Value == JSON {
    /// The body of a request that widens a release.
    static var widening: Parameter<JSON> {
        Parameter<(String?, Bool)>(
            .option("--percent", "P", "the percentage of devices, 0 to 100"),
            .flag("--without-rules", "drop the audience rules for good, so that devices need not meet them")
        ).map { text, isWithoutRules throws(CommandError) in
            guard text != nil || isWithoutRules else { throw .usage("give --percent, --without-rules or both") }
            var members: [JSON.Member] = []
            if let text { members.append(.init("percent", try ReleaseOptions.number(text, "--percent"))) }
            if isWithoutRules { members.append(.init(ReleaseTerms.Name.withoutRules, true)) }
            return .object(members)
        }
    }

    /// The body of a request that changes the health rules of a release.
    static var judging: Parameter<JSON> {
        Parameter<String>.required(
            "--health", "JSON", "the rules by which the server stops the release, or 'none'"
        ).map { text throws(CommandError) in
            .object([ReleaseTerms.Name.health: try ReleaseOptions.health(text)])
        }
    }

    /// The body of a request that reschedules a release.
    static var moving: Parameter<JSON> {
        Parameter<String>.required(
            "--at", "TIME", "the new time at which the release begins, such as 2026-12-01T08:00:00+08:00"
        )
        .map { text throws(CommandError) in .object(["activeTime": .string(text)]) }
    }
}
