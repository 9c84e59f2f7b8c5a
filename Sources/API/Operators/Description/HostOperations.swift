import Domain
import Ground
import HTTP

extension OperationGroup {
    static let hosts = OperationGroup(
        name: "Host apps", text: "Builds of the host app, what their pages may use, and what they ship.",
        operations: [
            Operation(
                route: "GET /apps/{app}/builds", id: "listBuilds", summary: "Lists host builds",
                responses: [.list("builds", of: "Build", #"{"builds": [\#(build)]}"#)]),
            Operation(
                route: "GET /apps/{app}/builds/{appVersion}", id: "getBuild", summary: "Returns one host build",
                responses: [.ok(.named("Build"), build)]),
            Operation(
                route: "PUT /apps/{app}/builds/{appVersion}", id: "putBuild",
                summary: "Registers a host build with its native APIs",
                details: "Changing those of a registered build requires a releaser.",
                body: .json(
                    .object(["apis": .array(.text, upTo: HostBuild.maximumAPIs)]),
                    #"{"apis": ["camera", "share/wechat"]}"#),
                responses: Operation.put("Build", build)),
            Operation(
                route: "DELETE /apps/{app}/builds/{appVersion}", id: "deleteBuild", summary: "Removes a host build",
                responses: [.ok(.named("Build"), build)]),
            Operation(
                route: "GET /apps/{app}/page-grants", id: "listPageGrants", summary: "Lists page grants",
                responses: [.list("pageGrants", of: "PageGrant", #"{"pageGrants": [\#(grant)]}"#)]),
            Operation(
                route: "GET /apps/{app}/page-grants/{grant}", id: "getPageGrant", summary: "Returns one page grant",
                responses: [.ok(.named("PageGrant"), grant)]),
            Operation(
                route: "PUT /apps/{app}/page-grants/{grant}", id: "putPageGrant",
                summary: "Grants native APIs to pages outside packages",
                body: .json(
                    .object(["origin": .text, "path": .text, "apis": .array(.text), "expires": .time]),
                    #"{"origin": "https://shop.example.com", "path": "/checkout/", "apis": ["pay", "camera"], "#
                        + #""expires": "2030-01-31T00:00:00Z"}"#), responses: Operation.put("PageGrant", grant)),
            Operation(
                route: "DELETE /apps/{app}/page-grants/{grant}", id: "deletePageGrant", summary: "Removes a page grant",
                responses: [.ok(.named("PageGrant"), grant)]),
            Operation(
                route: "GET /apps/{app}/presets", id: "listPresets", summary: "Lists presets, the newest first",
                responses: [.list("presets", of: "Preset", #"{"presets": [\#(preset)]}"#)]),
            Operation(
                route: "POST /apps/{app}/presets", id: "makePreset",
                summary: "Records the versions that a host build ships",
                body: .json(
                    .object(["appVersion": .version], optional: ["packages": .map(.version), "channel": .name]),
                    #"{"appVersion": "8.3.0", "packages": {"news": "1.1.0"}}"#),
                responses: Operation.put("Preset", preset),
                errors: [.channelNotFound, .packageNotFound, .versionNotFound, .signingFailed, .busy]),
            Operation(
                route: "GET /apps/{app}/presets/{build}", id: "getPreset", summary: "Returns one preset",
                responses: [.ok(.named("Preset"), preset)]),
            Operation(
                route: "DELETE /apps/{app}/presets/{build}", id: "deletePreset", summary: "Deletes a preset",
                responses: [.ok(.named("Preset"), preset)]),
            Operation(
                route: "GET /apps/{app}/presets/{build}/archive", id: "getPresetArchive",
                summary: "Returns the zip to embed in the app",
                responses: [
                    .init(
                        status: .ok, text: "The zip.",
                        content: [.init(mediaType: "application/zip", schema: .bytes, example: "")])
                ],
                errors: [.packageNotFound, .versionNotFound, .channelNotFound, .conflict, .signingFailed, .busy],
                parameters: ["format": .choice(["complete", "seed", "resources"])]),
        ],
        schemas: [
            ("Build", .shown(["appVersion": .text, "apis": .apis], optional: ["changedAt": .time])),
            (
                "PageGrant",
                .shown(["name": .name, "origin": .text, "path": .text, "apis": .apis, "expires": .time])
            ),
            ("Preset", .shown(["appVersion": .version, "createdAt": .time, "packages": .map(.version)])),
        ])

    private static let build =
        #"{"appVersion": "8.3.0", "apis": ["camera", "share/wechat"], "changedAt": "2026-11-21T07:32:27.827Z"}"#
    private static let grant =
        #"{"name": "checkout", "origin": "https://shop.example.com", "path": "/checkout", "apis": ["camera", "pay"], "#
        + #""expires": "2030-01-31T00:00:00Z"}"#
    private static let preset =
        #"{"appVersion": "8.3.0", "createdAt": "2026-11-21T07:32:30.494Z", "packages": {"news": "1.1.0"}}"#
}
