import Domain
import Ground

extension OperationGroup {
    static let releases = OperationGroup(
        name: "Releases", text: "A release offers a version to devices of a channel.",
        operations: operations(of: .release) + [
            Operation(
                route: "GET /apps/{app}/releases", id: "listAppReleases",
                summary: "Lists the releases of all packages, the latest first",
                details: "state has one or several states, separated by commas.",
                responses: [.list("releases", of: "Release", #"{"releases": [\#(made)]}"#)]),
            Operation(
                route: "GET /apps/{app}/packages/{package}/releases/{release}/readiness", id: "getReleaseReadiness",
                summary: "Counts the devices of a release that have its version",
                responses: [.ok(.named("Readiness"), readiness)], errors: [.conflict, .busy]),
            Operation(
                route: "POST /apps/{app}/packages/{package}/audience-estimate", id: "estimateAudience",
                summary: "Counts the devices that a release would match",
                body: .json(.named("ReleaseRequest"), #"{"version": "1.1.0", "percent": 10}"#),
                responses: [.ok(.named("AudienceEstimate"), estimate)],
                errors: [.channelNotFound, .versionNotFound, .versionRetired, .listNotFound, .releaseNotFound, .busy]),
        ],
        schemas: [
            ("Release", release), ("ReleaseRequest", request("version", .version, isSet: false)),
            ("ReleaseChange", change), ("ReleaseRollback", rollback),
            ("ReleaseRollbackRequest", rollbackRequest(.version)),
            ("Force", .object([:], optional: ["force": .boolean])),
            ("OfferedRelease", offered),
            ("RolloutStep", .object(["percent": .percent, "after": .duration], optional: ["withoutRules": .boolean])),
            (
                "AudienceRule",
                .object(
                    ["fact": .text],
                    optional: ["in": .array(.text), "notIn": .array(.text), "prefix": .array(.text), "range": .text])
            ),
            (
                "Floor",
                .object(["version": .text, "reason": .text, "withoutHave": .choice(Floor.Behavior.self)])
            ),
            (
                "DownloadBudget",
                .object(["bytesPerSecond": .count, "devices": .count], optional: ["from": .time])
            ),
            (
                "DownloadWindow",
                .object(["from": .time, "bytesPerSecond": .count, "devices": .count, "roundSeconds": .count])
            ),
            ("PatchGap", .object(["version": .version, "reason": .text, "note": .text])),
            ("Shadow", .object(["release": .id, "version": .version, "from": .time])),
            ("Verdict", verdict), ("Coverage", coverage), ("Readiness", audience(adding: true)),
            ("AudienceEstimate", audience(adding: false)),
        ])

    static let releaseSets = OperationGroup(
        name: "Release sets", text: "A release set offers versions of several packages to the same devices.",
        operations: operations(of: .set),
        schemas: [
            (
                "ReleaseSet",
                .shown(
                    [
                        "id": .count, "channel": .name, "state": .choice(ReleaseState.self), "revision": .count,
                        "percent": .percent, "activeTime": .time, "createdAt": .time,
                        "rank": .integer(Int64.min...Int64.max), "allowed": .array(.text),
                        "releases": .array(.named("Release")),
                    ],
                    optional: [
                        "neverBegan": .boolean, "warnings": .array(.text), "warningCodes": warningCodes,
                        "approvalRequired": .boolean,
                    ])
            ),
            ("ReleaseSetRequest", request("versions", .map(.version), isSet: true)),
            ("ReleaseSetRollbackRequest", rollbackRequest(.map(.version))),
            (
                "ReleaseSetRollback",
                .object([
                    "dryRun": .boolean, "begun": Schema.id.orNull,
                    "packages": .array(.object(part).adding("package", .packageID)),
                    "losses": .array(.named("Loss")), "devices": Schema.count.orNull,
                ])
            ),
        ])

    private static let made =
        #"{"id": 2, "package": "news", "version": "1.1.0", "channel": "production", "state": "active", "revision": 1, "#
        + #""percent": 10, "mandatory": false, "updateMode": "silent", "wifiOnly": false, "activeTime": "2026-12-01T00:00:00Z", "#
        + #""createdAt": "2026-12-01T00:00:00Z", "rank": 1796083200000000, "allowed": ["widen", "pause", "complete", "halt", "#
        + #""rollback"], "patchesReady": true, "noPatchFrom": []}"#
    private static let madeSet =
        #"{"id": 1, "channel": "production", "state": "active", "revision": 1, "percent": 10, "#
        + #""activeTime": "2026-12-01T00:00:00Z", "createdAt": "2026-12-01T00:00:00Z", "rank": 1796083200000000, "#
        + #""allowed": ["widen", "pause", "complete", "halt", "rollback"], "releases": [\#(made)]}"#

    /// Returns the operations that releases and release sets have in common.
    private static func operations(of face: ReleaseRoutes.Face) -> [Operation] {
        let isSet = face == .set
        let (kind, words, example) = isSet ? ("ReleaseSet", "release set", madeSet) : ("Release", "release", made)
        let (all, one) = (face.pattern, face.groupPattern)
        let version = isSet ? #""versions": {"news": "1.1.0", "common": "7.0"}"# : #""version": "1.1.0""#
        let part =
            #""ended": {"release": 2, "version": "1.1.0"}, "begun": {"release": null, "version": "1.0.0", "percent": 10, "#
            + #""to": "all devices"}, "patchesReady": true, "offered": []"#
        let rollback =
            isSet
            ? #"{"dryRun": true, "begun": null, "packages": [{"package": "news", "dryRun": true, \#(part)}], "losses": [], "devices": 0}"#
            : #"{"dryRun": true, \#(part), "losses": [], "devices": 0}"#
        let making: [PlatformError.Code] = [
            .channelNotFound, .packageNotFound, .versionNotFound, .versionRetired, .listNotFound, .releaseNotFound,
            .releaseExists, .dependentsLost, .signingFailed, .busy,
        ]
        let acting: [PlatformError.Code] = [.dependentsLost, .signingFailed, .busy]
        return [
            Operation(
                route: "GET \(all)", id: "list\(kind)s", summary: "Lists \(words)s, the latest first",
                responses: [
                    .list(
                        isSet ? "releaseSets" : "releases", of: kind,
                        isSet ? #"{"releaseSets": []}"# : #"{"releases": []}"#)
                ],
                parameters: ["state": .choice(ReleaseState.self)]),
            Operation(
                route: "POST \(all)", id: "make\(kind)", summary: "Makes a \(words)",
                body: .json(.named("\(kind)Request"), #"{\#(version), "percent": 10}"#),
                responses: [.created(.named(kind), example), .ok(.named(kind), example), .approval], errors: making),
            Operation(
                route: "GET \(one)", id: "get\(kind)", summary: "Returns one \(words)",
                responses: [.ok(.named(kind), example)]),
            Operation(
                route: "PATCH \(one)", id: "change\(kind)",
                summary:
                    "Widens a \(words), drops its audience rules, moves its activeTime, or changes its health rules",
                body: .json(.named("ReleaseChange"), #"{"percent": 25}"#),
                responses: [.ok(.named(kind), example), .approval], errors: acting),
            Operation(
                route: "POST \(one)/rollback", id: "rollBack\(kind)",
                summary: "Ends a \(words) and begins one of \(isSet ? "earlier versions" : "an earlier version")",
                body: .json(.named("\(kind)RollbackRequest"), #"{"dryRun": true}"#, isRequired: false),
                responses: [.created(.named("\(kind)Rollback"), rollback), .ok(.named("\(kind)Rollback"), rollback)],
                errors: acting + [.versionNotFound, .versionRetired]),
        ]
            + [
                ("pause", "Stops the rollout plan of a \(words)"), ("resume", "Continues a paused or halted \(words)"),
                ("halt", "Offers a \(words) only to devices that have it"),
                ("complete", "Takes a \(words) to the end of its plan and 100 %"),
            ].map { action, summary in
                let isWidening = ReleaseAction.Kind(rawValue: action)?.approval != nil
                return Operation(
                    route: "POST \(one)/\(action)", id: "\(action)\(kind)", summary: summary,
                    body: isWidening ? .widening : .force,
                    responses: [.ok(.named(kind), example)] + (isWidening ? [.approval] : []), errors: acting)
            }
    }

    private static let terms: KeyValuePairs<String, Schema> = [
        "channel": .name, "percent": .percent, "plan": .array(.named("RolloutStep"), upTo: Rollout.maximumSteps),
        "whitelist": .name, "excluded": .name, "rules": .array(.named("AudienceRule"), upTo: AudienceRule.maximumCount),
        "mandatory": .boolean, "updateMode": .choice(UpdateMode.self), "wifiOnly": .boolean, "floor": .named("Floor"),
        "health": .named("HealthPolicyRequest"), "activeTime": .time, "sameAudienceAs": .id, "now": .boolean,
        "again": .boolean, "force": .boolean, "approvalReason": .reason, "breakGlass": .breakGlass,
    ]

    private static func request(_ name: String, _ schema: Schema, isSet: Bool) -> Schema {
        let request = Schema.object([name: schema], optional: terms)
        return isSet ? request : request.adding("downloads", .named("DownloadBudget"))
    }

    private static func rollbackRequest(_ version: Schema) -> Schema {
        .object([:], optional: ["to": version, "mandatory": .boolean, "dryRun": .boolean, "force": .boolean])
    }

    private static let warningCodes = Schema.array(.choice(ReleaseWarning.self))
    private static let release = Schema.shown(
        [
            "id": .count, "package": .packageID, "version": .version, "channel": .name,
            "state": .choice(ReleaseState.self), "revision": .count, "percent": .percent, "mandatory": .boolean,
            "updateMode": .choice(UpdateMode.self), "wifiOnly": .boolean, "activeTime": .time, "createdAt": .time,
            "rank": .integer(Int64.min...Int64.max), "allowed": .array(.text),
        ],
        optional: [
            "releaseSet": .count, "neverBegan": .boolean, "plan": .array(.named("RolloutStep")), "nextStepAt": .time,
            "nextStepFrom": .time, "whitelist": .name, "excluded": .name, "rules": .array(.named("AudienceRule")),
            "floor": .named("Floor"),
            "health": .named("HealthPolicy"), "downloads": .named("DownloadWindow"), "verdict": .named("Verdict"),
            "patchesReady": .boolean, "noPatchFrom": .array(.named("PatchGap")), "shadows": .array(.named("Shadow")),
            "shadowedBy": .array(.named("Shadow")), "warnings": .array(.text), "warningCodes": warningCodes,
            "note": .text,
            "fallsBackTo": Schema.id.orNull, "fallsBackToVersion": Schema.version.orNull, "approvalRequired": .boolean,
        ])
    private static let change = Schema.object(
        [:],
        optional: [
            "percent": .percent, "withoutRules": .boolean, "activeTime": .time,
            "health": Schema.named("HealthPolicyRequest").orNull, "force": .boolean, "approvalReason": .reason,
            "breakGlass": .breakGlass,
        ]
    ).describing("One of activeTime, health, and percent or withoutRules or both.")
    private static let offered = Schema.object([
        "release": Schema.id.orNull, "version": .version, "percent": .percent, "to": .text,
    ])
    private static let part: KeyValuePairs<String, Schema> = [
        "dryRun": .boolean, "ended": .object(["release": .count, "version": .version]),
        "begun": Schema.named("OfferedRelease").orNull, "patchesReady": .boolean,
        "offered": .array(.named("OfferedRelease")),
    ]
    private static let rollback = Schema.object(part).adding("losses", .array(.named("Loss")))
        .adding("devices", Schema.count.orNull)
    private static let share = Schema.object(["devices": .count, "affected": .count, "percent": .percent])
    private static let verdict = Schema.object(
        [
            "state": .choice(HealthVerdict.State.self), "note": .text, "since": .time, "judgedAt": .time,
            "watch": .count, "devices": .count, "controlDevices": .count, "required": .count,
            "rules": .array(
                .object(
                    [
                        "metric": .choice(HealthMetric.self), "state": .choice(["healthy", "waiting", "unhealthy"]),
                        "devices": .count, "affected": .count, "percent": .percent, "evidence": .number,
                        "bound": .number, "action": .choice(HealthAction.self),
                    ],
                    optional: [
                        "ceiling": .percent, "aboveControl": .count, "control": share, "slowerThan": .count,
                    ])),
        ], optional: ["devicesSinceStep": .count, "unattributedDevices": .count])
    private static let coverage = Schema.object([
        "sayingWhatTheyHave": .count, "cut": .count, "since": Schema.time.orNull, "dropped": .count, "limit": .count,
        "limitReached": .boolean,
    ])

    private static func audience(adding isRelease: Bool) -> Schema {
        let schema = Schema.shown([
            "version": .version, "channel": .name, "at": .time, "reach": .percent, "seen": .count, "matching": .count,
            "percent": Schema.percent.orNull, "days": .count, "coverage": .named("Coverage"),
        ])
        guard isRelease else {
            return schema.adding(
                "refused", .array(.object(["rule": .text, "refusal": .named("Refusal"), "devices": .count])))
        }
        return schema.adding("release", .id).adding("holding", .count).adding("silent", .count)
    }

    private static let basis =
        #""days": 7, "coverage": {"sayingWhatTheyHave": 9800, "cut": 0, "since": "2026-11-21T07:32:27Z", "dropped": 0, "#
        + #""limit": 1000000, "limitReached": false}"#
    private static let facts =
        #""version": "1.1.0", "channel": "production", "at": "2026-12-01T00:00:00Z", "reach": 10, "seen": 10000, "#
        + #""matching": 1004"#
    private static let readiness =
        #"{"release": 2, \#(facts), "holding": 903, "silent": 12, "percent": 89.94, \#(basis)}"#
    private static let estimate =
        #"{\#(facts), "percent": 10.04, "refused": [{"rule": "the percentage, 10 %", "refusal": {"code": "percentage", "percent": 10}, "devices": 8996}], \#(basis)}"#
}
