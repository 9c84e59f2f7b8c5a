import Domain
import Ground

extension OperationGroup {
    static let packages = OperationGroup(
        name: "Packages", text: "A package is a tree of web pages, which is published in versions.",
        operations: [
            Operation(
                route: "GET /apps/{app}/packages", id: "listPackages", summary: "Lists packages",
                details: "With channel, each package has onChannel. flight needs channel.",
                responses: [.list("packages", of: "Package", #"{"packages": [\#(package)]}"#)]),
            Operation(
                route: "GET /apps/{app}/packages/{package}", id: "getPackage", summary: "Returns one package",
                responses: [.ok(.named("Package"), package)]),
            Operation(
                route: "PUT /apps/{app}/packages/{package}", id: "putPackage", summary: "Creates or changes a package",
                details: """
                    An omitted member keeps its value, or has its default on a new package. Changing enable, priority, \
                    dialects or resources of an existing package requires a releaser, and permissions always do.
                    """,
                body: .json(.named("PackageSettings"), #"{"name": "News", "urlPrefix": "/news/"}"#, isRequired: false),
                responses: Operation.put("Package", package), errors: [.nameTaken, .forbidden]),
            Operation(
                route: "DELETE /apps/{app}/packages/{package}", id: "deletePackage",
                summary: "Deletes a package of which no version was ever published",
                responses: [.ok(.named("Package"), package)]),
            Operation(
                route: "POST /apps/{app}/packages/{package}/kill", id: "killPackage",
                summary: "Takes a package off devices: its pages redirect to the network",
                body: .json(.named("KillRequest"), #"{"to": "https://m.example.com/news/", "dryRun": true}"#),
                responses: [.ok(.named("Kill"), kill), .created(.named("Kill"), kill)],
                errors: [.channelNotFound, .versionExists, .dependentsLost, .badPackage]),
            Operation(
                route: "POST /apps/{app}/packages/{package}/online", id: "serveOnline",
                summary: "Lets a package's pages load from the network until a time",
                body: .json(.named("OnlineRequest"), #"{"for": "2h"}"#),
                responses: [
                    .ok(
                        .named("Online"),
                        #"{"onlineUntil": "2026-12-01T10:00:00Z", "clients": [\#(effect)], "dryRun": false}"#)
                ]),
            Operation(
                route: "DELETE /apps/{app}/packages/{package}/online", id: "endOnline", summary: "Ends the time online",
                responses: [.ok(.named("Package"), package)]),
        ],
        schemas: [
            ("Package", packageSchema), ("PackageSettings", settings), ("ResourceSettings", resources),
            ("ResourceRule", resourceRule), ("Permissions", permissions), ("ClientEffect", clientEffect),
            ("PackageOnChannel", onChannel),
            ("KillRequest", killRequest), ("Kill", killSchema), ("OnlineRequest", onlineRequest),
            (
                "Online",
                .object(
                    ["clients": .array(.named("ClientEffect")), "dryRun": .boolean], optional: ["onlineUntil": .time])
            ),
            ("ReleasedVersion", .object(["release": .id, "version": .version])),
            (
                "ComingVersion", .object(["release": .id, "version": .version, "activeTime": .time])
            ),
            ("Loss", loss),
        ])

    static let package =
        #"{"id": "news", "app": "default", "name": "News", "entry": "index.html", "urlPrefix": "/news/", "enable": true, "#
        + #""priority": 999, "dialects": ["info-json"], "resources": {"rules": [], "timeFormat": "rfc3339", "diffLimit": 5000}, "#
        + #""permissions": {"apis": ["camera"], "origins": ["https://api.example"]}}"#
    private static let effect = #"{"client": "seed 000", "does": "opens the pages of its copy"}"#
    private static let kill =
        #"{"version": "kill-1", "dryRun": true, "clients": [\#(effect)], "#
        + #""replaces": [{"release": 1, "version": "1.0.0"}], "replacedBy": [], "losses": [], "devices": 0}"#

    private static let packageSchema = Schema.shown(
        [
            "id": .packageID, "app": .name, "name": .text, "entry": Schema.text.orNull, "urlPrefix": .text,
            "enable": .boolean, "priority": .integer(-1_000_000...1_000_000), "dialects": .array(.text),
            "resources": .named("ResourceSettings"), "permissions": Schema.named("Permissions").orNull,
        ],
        optional: [
            "onlineUntil": .time, "onChannel": .named("PackageOnChannel"),
            "clients": Schema.array(.named("ClientEffect")).describing("What clients do now that enable is off."),
        ])
    private static let settings = Schema.object(
        [:],
        optional: [
            "name": Schema.text(1...Package.maximumNameLength).orNull, "entry": Schema.text.orNull,
            "urlPrefix": Schema.text.orNull, "enable": Schema.boolean.orNull,
            "priority": Schema.integer(-1_000_000...1_000_000).orNull, "dialects": .array(.text),
            "resources": Schema.named("ResourceSettings").orNull, "permissions": Schema.named("Permissions").orNull,
        ])
    private static let resources = Schema.object(
        [:],
        optional: [
            "rules": .array(.named("ResourceRule")), "timeFormat": .choice(ResourceSettings.TimeFormat.self),
            "diffFrom": .version, "diffLimit": .count,
        ])
    private static let resourceRule = Schema.object(
        ["files": .text],
        optional: [
            "cached": .boolean, "type": .integer(Int64.min...Int64.max), "MIMEType": .text, "matchUrl": .text,
            "resourceID": .text, "activeTime": .time,
        ])
    private static let permissions = Schema.object([:], optional: ["apis": .apis, "origins": .array(.text)])
    private static let onChannel = Schema.object([
        "everyone": Schema.named("ReleasedVersion").orNull,
        "inFlight": .array(
            .object(
                [
                    "release": .id, "version": .version, "state": .choice(ReleaseState.self), "percent": .percent,
                    "activeTime": .time,
                ], optional: ["nextStepAt": .time])),
        "onlineUntil": Schema.time.orNull, "versions": .count, "lastPublishedAt": Schema.time.orNull,
    ])
    private static let clientEffect = Schema.object(["client": .text, "does": .text])
    private static let killRequest = Schema.object(
        ["to": .text], optional: ["channel": .name, "version": .version, "dryRun": .boolean, "force": .boolean])
    private static let killSchema = Schema.object(
        [
            "version": .version, "dryRun": .boolean, "clients": .array(.named("ClientEffect")),
            "replaces": .array(.named("ReleasedVersion")), "replacedBy": .array(.named("ComingVersion")),
            "losses": .array(.named("Loss")), "devices": Schema.count.orNull,
        ], optional: ["release": .id])
    private static let onlineRequest = Schema.object(
        [:], optional: ["for": .duration, "until": .time, "dryRun": .boolean]
    ).describing("Either for or until.")
    private static let loss = Schema.object([
        "package": .packageID, "version": .version, "release": .count, "needs": Schema.text.orNull,
        "cause": .object(["package": .packageID, "version": .version, "change": .choice(["begins", "ends"])]),
        "from": .time, "devices": Schema.count.orNull,
    ])
}
