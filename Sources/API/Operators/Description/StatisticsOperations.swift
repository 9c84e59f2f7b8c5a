import Domain
import Ground
import HTTP

extension OperationGroup {
    static let statistics = OperationGroup(
        name: "Statistics", text: "What devices report, and which versions they use.",
        operations: [
            Operation(
                route: "GET /apps/{app}/packages/{package}/stats", id: "getPackageStatistics",
                summary: "Returns the counts of reports", details: forms,
                responses: [statistics("PackageCounts", #"{"package": "news", "versions": {}}"#)], errors: [.busy],
                parameters: choices),
            Operation(
                route: "GET /apps/{app}/stats", id: "getAppStatistics",
                summary: "Returns the counts of reports about all packages", details: forms,
                responses: [statistics("AppCounts", #"{"app": "default", "packages": {}}"#)], errors: [.busy],
                parameters: choices),
            Operation(
                route: "GET /apps/{app}/packages/{package}/adoption", id: "getAdoption",
                summary: "Counts the seen devices by version, and why some have an old one",
                responses: [.ok(.named("Adoption"), adoption)],
                errors: [.channelNotFound, .releaseNotFound, .conflict, .busy],
                parameters: ["days": .choice(["1", "7", "30"])]),
        ],
        schemas: [
            ("PackageCounts", .object(["package": .packageID, "versions": .map(counts)])),
            ("AppCounts", .object(["app": .name, "packages": .map(.map(counts))])),
            ("Statistics", series), ("Adoption", adoptionSchema),
        ])

    private static let forms = """
        Without parameters the counts of all time, else a series of time, as JSON, CSV or NDJSON.
        """
    private static let choices: [String: Schema] = [
        "bucket": .choice(ReportQuery.Bucket.self), "format": .choice(StatisticsRequest.Format.self),
        "release": .text, "version": .text,
    ]

    private static func statistics(_ counts: String, _ example: String) -> Operation.Outcome {
        let either = Schema(.object(["oneOf": .array([Schema.named(counts).json, Schema.named("Statistics").json])]))
        return .init(
            status: .ok, text: "OK",
            content: [
                .init(mediaType: "application/json", schema: either, example: example),
                .init(mediaType: "text/csv", schema: .text, example: ""),
                .init(mediaType: "application/x-ndjson", schema: .text, example: ""),
            ])
    }

    private static let counts = Schema.map(.object(["reports": .count, "devices": .count]))
    private static let series = Schema.object(
        [
            "from": .time, "to": .time, "bucket": .choice(ReportQuery.Bucket.self), "asOf": .time,
            "series": .array(.anyObject), "funnel": .anyObject, "reasons": .array(.anyObject),
        ], optional: ["app": .name, "package": .packageID, "aggregatedThrough": .time])

    private static let adoption =
        #"{"package": "news", "channel": "production", "days": 7, "at": "2026-12-01T00:00:00Z", "release": 2, "#
        + #""version": "1.1.0", "seen": 100, "versions": [{"version": "1.1.0", "devices": 90}], "unpublished": 0, "#
        + #""noVersion": 5, "unknownVersion": 5, "otherVersion": 0, "causes": [{"cause": "not-yet-seen", "devices": 10}], "#
        + #""truncated": {"devices": false, "reports": false}, "coverage": {"since": "2026-11-21T07:32:27Z", "cut": 0, "#
        + #""dropped": 0, "limit": 1000000, "limitReached": false}, "history": []}"#
    private static let adoptionSchema = Schema.object([
        "package": .packageID, "channel": .name, "days": .count, "at": .time, "release": Schema.id.orNull,
        "version": Schema.version.orNull, "seen": .count,
        "versions": .array(.object(["version": .version, "devices": .count])), "unpublished": .count,
        "noVersion": .count, "unknownVersion": .count, "otherVersion": .count,
        "causes": .array(
            .object(
                ["cause": .text, "devices": .count],
                optional: [
                    "rule": .text, "refusal": .named("Refusal"), "event": .text, "reason": .text,
                ])),
        "truncated": .object(["devices": .boolean, "reports": .boolean]),
        "coverage": .object([
            "since": Schema.time.orNull, "cut": .count, "dropped": .count, "limit": .count, "limitReached": .boolean,
        ]),
        "history": .array(.object(["day": .text, "version": .version, "devices": .count])),
    ])
}
