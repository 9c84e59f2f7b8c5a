import Domain
import Ground
import HTTP

extension OperationGroup {
    static let devices = OperationGroup(
        name: "Devices", text: "Devices are known from what they ask for and report.",
        operations: [
            Operation(
                route: "GET /apps/{app}/device-lists", id: "listDeviceLists", summary: "Lists the device lists",
                responses: [.list("deviceLists", of: "DeviceList", #"{"deviceLists": [\#(list)]}"#)]),
            Operation(
                route: "GET /apps/{app}/device-lists/{list}", id: "getDeviceList",
                summary: "Returns one device list, without its devices", responses: [.ok(.named("DeviceList"), list)]),
            Operation(
                route: "PUT /apps/{app}/device-lists/{list}", id: "putDeviceList",
                summary: "Creates or replaces a device list", details: "The body has one device id a line.",
                body: Operation.Body(mediaType: "text/plain", schema: .text, example: "", isRequired: true),
                responses: Operation.put("DeviceList", list)),
            Operation(
                route: "DELETE /apps/{app}/device-lists/{list}", id: "deleteDeviceList",
                summary: "Deletes a device list that no release has named", responses: [.ok(.named("DeviceList"), list)]
            ),
            Operation(
                route: "GET /apps/{app}/devices/{device}", id: "getDevice",
                summary: "Shows one device: facts, versions, reports, and what it is offered",
                responses: [.ok(.named("Device"), device)], errors: [.busy, .conflict]),
            Operation(
                route: "DELETE /apps/{app}/devices/{device}", id: "eraseDevice", summary: "Erases one device",
                responses: [.ok(.named("ErasureReceipt"), receipt)], errors: [.busy]),
            Operation(
                route: "GET /apps/{app}/devices", id: "findDevice", summary: "Shows the device of the parameter id",
                responses: [.ok(.named("Device"), device)], errors: [.busy, .conflict], required: ["id"]),
            Operation(
                route: "DELETE /apps/{app}/devices", id: "eraseFoundDevice",
                summary: "Erases the device of the parameter id",
                responses: [.ok(.named("ErasureReceipt"), receipt)], errors: [.busy], required: ["id"]),
            Operation(
                route: "GET /apps/{app}/device-facts", id: "getDeviceFacts",
                summary: "Lists the facts that devices send, with their most frequent values",
                details:
                    "Counts a sample of the devices seen in the last seven days. A value that only one device sent is left "
                    + "out.",
                responses: [
                    .ok(
                        .named("DeviceFacts"),
                        #"{"channel": "production", "days": 7, "devices": 5000, "facts": [{"fact": "attr.city", "#
                            + #""values": [{"value": "Shenzhen", "devices": 412}]}]}"#)
                ], errors: [.channelNotFound, .conflict, .busy]),
            Operation(
                route: "GET /apps/{app}/explain", id: "explain", summary: "Explains which release a device gets",
                details: "Facts of the app's own are parameters such as attr.tier. With a future time in `at`, "
                    + "the response has its `assumption`: nobody makes a change, and releases stay healthy.",
                responses: [
                    .ok(
                        .named("Explanation"),
                        #"{"app": "default", "channel": "production", "instant": "2026-12-01T00:00:00Z", "#
                            + #""device": {"bucket": 12, "region": "CN"}, "packages": [\#(explained)]}"#)
                ], errors: [.channelNotFound, .busy]),
        ],
        schemas: [
            ("DeviceList", .shown(["name": .name, "devices": .count, "revision": .count, "changedAt": .time])),
            ("Device", deviceSchema), ("ErasureReceipt", receiptSchema), ("DecidedRelease", decided),
            ("Refusal", .refusal),
            (
                "DeviceFacts",
                .object([
                    "channel": .name, "days": .count, "devices": .count,
                    "facts": .array(
                        .object([
                            "fact": .text, "values": .array(.object(["value": .text, "devices": .count])),
                        ])),
                ])
            ),
            ("ExplainedPackage", explainedPackage),
            (
                "Explanation",
                .object(
                    [
                        "app": .name, "channel": .name, "instant": .time, "device": .anyObject,
                        "packages": .array(.named("ExplainedPackage")),
                    ], optional: ["assumption": .text])
            ),
        ])

    private static let list =
        #"{"name": "testers", "devices": 3, "revision": 1, "changedAt": "2026-11-21T07:32:27.827Z"}"#
    private static let explained =
        #"{"package": "news", "enable": true, "current": {"release": 2, "version": "1.1.0", "rank": 1796083200000000, "#
        + #""activeTime": "2026-12-01T00:00:00Z"}, "next": null, "releases": [{"release": 2, "version": "1.1.0", "#
        + #""outcome": "offered"}]}"#
    private static let device =
        #"{"app": "default", "device": "ann", "bucket": 12, "seen": [], "installed": {}, "events": [], "truncated": false, "#
        + #""offers": [{"channel": "production", "instant": "2026-12-01T00:00:00Z", "packages": [\#(explained)]}]}"#
    private static let receipt =
        #"{"receipt": "b1946ac92492d234", "erasedAt": "2026-12-01T00:00:00Z", "channels": 1, "reports": 12, "lists": [], "#
        + #""complete": true}"#

    private static let decided = Schema.object(
        ["release": .count, "version": .version, "rank": .integer(Int64.min...Int64.max), "activeTime": .time],
        optional: ["mandatoryAfter": .integer(Int64.min...Int64.max), "mandatory": .boolean])
    private static let explainedPackage = Schema.object([
        "package": .packageID, "enable": .boolean, "current": Schema.named("DecidedRelease").orNull,
        "next": Schema.named("DecidedRelease").orNull,
        "releases": .array(
            .object(
                ["release": .count, "version": .version, "outcome": .choice(["hidden", "offered", "refused"])],
                optional: ["reason": .text, "refusal": .named("Refusal"), "verdict": .named("Verdict")])),
    ])
    private static let deviceSchema = Schema.object([
        "app": .name, "device": .text, "bucket": .integer(0...9_999),
        "seen": .array(
            .object([
                "channel": .name, "seenAt": .time, "facts": .anyObject, "have": Schema.anyObject.orNull,
                "cut": .boolean,
            ])),
        "installed": .map(.object(["version": .text, "event": .text, "time": .time])),
        "events": .array(
            .object([
                "eventId": .text, "package": .packageID, "version": .text, "event": .text, "time": .time,
                "receivedAt": .time, "details": .anyObject,
            ])),
        "truncated": .boolean,
        "offers": .array(
            .object(["channel": .name, "instant": .time, "packages": .array(.named("ExplainedPackage"))])),
    ])
    private static let receiptSchema = Schema.shown(
        [
            "receipt": .text, "erasedAt": .time, "channels": .count, "reports": .count, "lists": .array(.name),
            "complete": .boolean,
        ], optional: ["unreachableBefore": .time])
}
