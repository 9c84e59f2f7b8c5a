import Domain
import Ground

extension OperationGroup {
    static let apps = OperationGroup(
        name: "Apps and channels", text: "An app has channels, packages, keys and everything else.",
        operations: [
            Operation(
                route: "GET /apps", id: "listApps", summary: "Lists apps",
                responses: [.list("apps", of: "App", #"{"apps": [{"id": "default"}]}"#)]),
            Operation(
                route: "GET /apps/{app}", id: "getApp", summary: "Returns one app",
                responses: [.ok(.named("App"), app)]),
            Operation(
                route: "PUT /apps/{app}", id: "putApp",
                summary: "Creates an app with its keys and the channel production",
                body: .json(.object([:]), "{}", isRequired: false), responses: Operation.put("App", app)),
            Operation(
                route: "GET /apps/{app}/search", id: "searchApp",
                summary: "Searches packages, versions, releases and device lists",
                responses: [.ok(.named("SearchResult"), found)],
                parameters: [
                    "text": .text(SearchRoute.textLengths), PageLimit.parameter: SearchRoute.limit.schema,
                ], required: ["text"]),
            Operation(
                route: "GET /apps/{app}/health", id: "getAppHealth",
                summary: "Returns the health rules of an app's new releases",
                responses: [.ok(.named("AppHealth"), #"{"health": \#(health)}"#)]),
            Operation(
                route: "PUT /apps/{app}/health", id: "putAppHealth",
                summary: "Replaces the health rules of an app's new releases",
                details: "An empty list of rules removes them. Releases that exist keep theirs.",
                body: .json(.named("HealthPolicyRequest"), #"{"rules": [{"metric": "crashes", "ceiling": 1}]}"#),
                responses: [.ok(.named("AppHealth"), #"{"health": \#(health)}"#)]),
            Operation(
                route: "GET /apps/{app}/channels", id: "listChannels", summary: "Lists channels",
                responses: [
                    .list(
                        "channels", of: "Channel",
                        #"{"channels": [{"name": "beta", "approvals": 0}, {"name": "production", "approvals": 1}]}"#)
                ]),
            Operation(
                route: "GET /apps/{app}/channels/{channel}", id: "getChannel", summary: "Returns one channel",
                responses: [.ok(.named("Channel"), channel)]),
            Operation(
                route: "PUT /apps/{app}/channels/{channel}", id: "putChannel",
                summary: "Declares a channel, or changes its protection",
                body: .json(
                    .object([:], optional: ["approvals": .integer(Channel.approvalCounts)]), #"{"approvals": 1}"#,
                    isRequired: false),
                responses: Operation.put("Channel", channel)),
            Operation(
                route: "DELETE /apps/{app}/channels/{channel}", id: "deleteChannel",
                summary: "Deletes a channel without releases and devices",
                details: "The channel production cannot be deleted.", responses: [.ok(.named("Channel"), channel)]),
        ],
        schemas: [
            ("App", .shown(["id": .name])),
            ("Channel", .shown(["name": .name, "approvals": .integer(Channel.approvalCounts)])),
            ("AppHealth", .shown(["health": Schema.named("HealthPolicy").orNull])),
            ("SearchResult", searchResult), ("HealthRule", rule), ("HealthRuleRequest", ruleRequest),
            (
                "HealthPolicy",
                .object([
                    "devices": .integer(widened(HealthPolicy.devicesRange)), "window": .text, "coolDown": .text,
                    "rules": .array(.named("HealthRule"), upTo: HealthPolicy.maximumRules),
                ])
            ),
            (
                "HealthPolicyRequest",
                .object(
                    ["rules": .array(.named("HealthRuleRequest"), upTo: HealthPolicy.maximumRules)],
                    optional: [
                        "devices": .integer(widened(HealthPolicy.devicesRange)), "window": .duration,
                        "coolDown": .duration,
                    ])
            ),
        ])

    private static let found =
        #"{"packages": [{"id": "news", "name": "News"}], "versions": [{"package": "news", "version": "1.1.0", "#
        + #""publishedAt": "2026-12-01T00:00:00Z"}], "releases": [{"package": "news", "release": 2, "version": "1.1.0", "#
        + #""channel": "production", "state": "active"}], "deviceLists": [{"name": "news-testers", "devices": 2}]}"#
    private static let searchResult: Schema = {
        let limit = SearchRoute.limit.sizes.upperBound
        return .object([
            "packages": .array(.object(["id": .packageID, "name": .text]), upTo: limit),
            "versions": .array(
                .object(["package": .packageID, "version": .version, "publishedAt": .time]), upTo: limit),
            "releases": .array(
                .object(
                    [
                        "package": .packageID, "release": .id, "version": .version, "channel": .name,
                        "state": .choice(ReleaseState.self),
                    ], optional: ["neverBegan": .boolean]), upTo: limit),
            "deviceLists": .array(.object(["name": .name, "devices": .count]), upTo: limit),
        ])
    }()

    private static let app = #"{"id": "travel"}"#
    private static let channel = #"{"name": "beta", "approvals": 0}"#
    static let health =
        #"{"devices": 500, "window": "1d", "coolDown": "1h", "rules": [{"metric": "crashes", "ceiling": 1, "action": "halt"}]}"#

    private static let rule = Schema.object(
        ["metric": .choice(HealthMetric.self), "action": .choice(HealthAction.self)],
        optional: ["ceiling": .percent, "aboveControl": .count, "slowerThan": .count])
    private static let ruleRequest = Schema.object(
        ["metric": .choice(HealthMetric.self)],
        optional: [
            "ceiling": .percent, "aboveControl": .count, "slowerThan": .count, "action": .choice(HealthAction.self),
        ])

    private static func widened(_ range: ClosedRange<Int64>) -> ClosedRange<Int64> { range }
}

extension Schema {
    /// The grammar of app ids, and of the names of channels, device lists and page grants.
    static let name = pattern("^[a-z0-9][a-z0-9-]{0,62}$")
    static let packageID = pattern(#"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"#)
    static let version = pattern(#"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"#)
    static let duration = text.describing("Such as 90m, 2h or 3d; at most a year.")
    /// Names of native APIs.
    static let apis = array(.text)
}
