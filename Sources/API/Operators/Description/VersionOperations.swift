import Domain
import Ground

extension OperationGroup {
    private static let all = "/apps/{app}/packages/{package}/versions"
    private static let one = all + "/{version}"
    private static let waivers = "/apps/{app}/packages/{package}/waivers"

    static let versions = OperationGroup(
        name: "Versions", text: "A version never changes after it was published.",
        operations: [
            Operation(
                route: "GET \(all)", id: "listVersions", summary: "Lists versions, in the order of publishing",
                responses: [.list("versions", of: "Version", #"{"versions": [\#(version)]}"#)],
                parameters: ["state": .choice(["releasable", "retired"])]),
            Operation(
                route: "GET \(one)", id: "getVersion", summary: "Returns one version with its files",
                responses: [.ok(.named("VersionWithFiles"), detailed)]),
            Operation(
                route: "POST \(all)", id: "publishVersion", summary: "Publishes a zip, or a finished upload",
                details: """
                    The body is the zip, or a form with it; without a body, upload names a finished upload. The response \
                    is 200 if the version exists with the same content, or for a dry run.
                    """,
                body: .bytes("application/zip", isRequired: false),
                responses: [
                    .ok(.named("PublishedVersion"), published), .created(.named("PublishedVersion"), published),
                ],
                errors: [
                    .versionExists, .badPackage, .unsupportedMediaType, .signingFailed, .tooManyUploads, .busy,
                    .uploadNotFound, .uploadGone, .uploadLocked,
                ],
                parameters: ["version": .version], required: ["version"]),
            Operation(
                route: "GET \(one)/archives", id: "listArchives", summary: "Lists the full archives of a version",
                responses: [.list("archives", of: "Archive", #"{"archives": [\#(archive)]}"#)]),
            Operation(
                route: "PUT \(one)/archives/{layout}", id: "putArchive", summary: "Builds a full archive in a layout",
                body: .json(.object([:]), "{}", isRequired: false), responses: Operation.put("Archive", archive),
                errors: [.signingFailed]),
            Operation(
                route: "GET \(one)/files", id: "getVersionFiles", summary: "Returns the manifest, with media types",
                responses: [
                    .ok(
                        .named("Manifest"),
                        #"{"version": "1.1.0", "tree": "\#(hash)", "files": [{"path": "index.html", "size": 14, "#
                            + #""sha256": "\#(hash)", "type": "text/html"}]}"#)
                ]),
            Operation(
                route: "GET \(one)/diff/{other}", id: "compareVersions", summary: "Compares two versions",
                responses: [
                    .ok(
                        .named("Comparison"),
                        #"{"from": "1.0.0", "to": "1.1.0", "added": [], "changed": [{"path": "index.html", "size": 19, "#
                            + #""sizeBefore": 14}], "removed": [], "moved": [], "bytes": {"added": 0, "changed": 19, "removed": 0, "#
                            + #""moved": 0}, "download": {"full": 21006, "files": 478, "delta": 201}}"#)
                ]),
            Operation(
                route: "PUT \(one)/notes", id: "putVersionNotes", summary: "Replaces a version's notes",
                body: .json(.object(["notes": Schema.text(0...2_000).orNull]), #"{"notes": "Fixes the search."}"#),
                responses: [.ok(.named("Version"), version)]),
            Operation(
                route: "POST \(one)/retire", id: "retireVersion", summary: "Prevents further releases of a version",
                body: .json(
                    .object(["reason": .text(1...Retirement.maximumReasonLength)]), #"{"reason": "The search fails."}"#),
                responses: [.ok(.named("Version"), version)], errors: [.versionOffered]),
            Operation(
                route: "POST \(one)/unretire", id: "unretireVersion",
                summary: "Allows releases of a retired version again",
                body: .json(.object([:]), "{}", isRequired: false), responses: [.ok(.named("Version"), version)]),
            Operation(
                route: "GET \(waivers)", id: "listWaivers", summary: "Lists the waivers of a package",
                responses: [.list("waivers", of: "Waiver", #"{"waivers": [\#(waiver)]}"#)]),
            Operation(
                route: "GET \(waivers)/{code}", id: "getWaiver", summary: "Returns the waiver of a finding",
                details: "In the file that path names, or without path in every file.",
                responses: [.ok(.named("Waiver"), waiver)]),
            Operation(
                route: "PUT \(waivers)/{code}", id: "putWaiver", summary: "Waives findings of the linter",
                details: "In the file that path names, or without path in every file.",
                body: .json(
                    .object(["reason": .text(1...LintWaiver.maximumReasonLength)]),
                    #"{"reason": "for our crash reports"}"#), responses: Operation.put("Waiver", waiver)),
            Operation(
                route: "DELETE \(waivers)/{code}", id: "deleteWaiver", summary: "Removes a waiver",
                responses: [.ok(.named("Waiver"), waiver)]),
        ],
        schemas: [
            ("Version", versionSchema(adding: [])),
            (
                "VersionWithFiles",
                .object(
                    [
                        "version": .version, "tree": .hash, "entry": Schema.text.orNull, "urlPrefix": .text,
                        "bytes": .count, "archiveBytes": .count, "createdAt": .time, "files": .array(.named("File")),
                    ],
                    optional: [
                        "minAppVersion": .text, "maxAppVersion": .text, "apis": .apis, "needs": .map(.text),
                        "notes": .text, "commit": .text, "author": .text, "retired": .named("Retirement"),
                        "warnings": .array(.named("Finding")), "waived": .array(.named("WaivedFinding")),
                    ])
            ),
            (
                "PublishedVersion",
                versionSchema(adding: [
                    ("status", .choice(["published", "unchanged", "exists", "would-publish"])),
                    ("warnings", .array(.named("Finding"))), ("waived", .array(.named("WaivedFinding"))),
                    ("sameContent", .boolean),
                ])
            ),
            ("Retirement", .object(["at": .time, "by": .text, "reason": .text])),
            (
                "Finding",
                .object(["code": .choice(LintFinding.Code.self), "message": .text], optional: ["path": .text])
            ),
            (
                "WaivedFinding",
                .object(
                    ["code": .choice(LintFinding.Code.self), "reason": .text, "findings": .count],
                    optional: ["path": .text])
            ),
            ("File", .object(["path": .text, "size": .count, "sha256": .hash])),
            (
                "Manifest",
                .object([
                    "version": .version, "tree": .hash,
                    "files": .array(.object(["path": .text, "size": .count, "sha256": .hash, "type": .text])),
                ])
            ),
            ("Comparison", comparison),
            (
                "Archive",
                .shown(
                    [
                        "layout": .choice(Layout.self), "url": .text, "size": .count, "sha256": .hash, "tree": .hash,
                        "signatures": .array(.named("Signature")),
                    ], optional: ["signature": .text])
            ),
            ("Signature", .object(["keyId": .text, "value": .text])),
            (
                "Waiver",
                .shown(
                    ["code": .choice(LintFinding.Code.self), "reason": .text, "by": .text, "at": .time],
                    optional: ["path": .text])
            ),
        ])

    private static let hash = String(repeating: "0f", count: 32)
    private static let facts =
        #""tree": "\#(hash)", "files": 2, "bytes": 108908, "archiveBytes": 21006, "createdAt": "2026-11-21T07:32:27.827Z""#
    private static let version = #"{"version": "1.1.0", \#(facts)}"#
    private static let published =
        #"{"version": "1.1.0", "status": "published", \#(facts), "warnings": [], "waived": []}"#
    private static let detailed =
        #"{"version": "1.1.0", "tree": "\#(hash)", "entry": "index.html", "urlPrefix": "/news/", "bytes": 14, "#
        + #""archiveBytes": 210, "createdAt": "2026-11-21T07:32:27.827Z", "warnings": [], "waived": [], "#
        + #""files": [{"path": "index.html", "size": 14, "sha256": "\#(hash)"}]}"#
    private static let archive =
        #"{"layout": "flat", "url": "https://host/blobs/\#(hash)/news-1.1.0-flat.zip", "size": 20811, "sha256": "\#(hash)", "#
        + #""tree": "\#(hash)", "signatures": [{"keyId": "6207bef7226b9d6b", "value": "NzAIpbhP"}]}"#
    private static let waiver =
        #"{"code": "source-map", "path": "js/app.js.map", "reason": "for our crash reports", "by": "ci (#2)", "#
        + #""at": "2026-11-21T07:32:27.827Z"}"#

    private static func versionSchema(adding more: [(String, Schema)]) -> Schema {
        let schema = Schema.shown(
            [
                "version": .version, "tree": .hash, "files": .count, "bytes": .count, "archiveBytes": .count,
            ],
            optional: [
                "createdAt": Schema.time.describing("Absent in the response to a dry run."),
                "patchBytes": Schema.count.describing("The smallest patch from the newest earlier version with one."),
                "notes": .text,
                "commit": .text, "author": .text, "retired": .named("Retirement"),
            ])
        return more.reduce(schema) { $0.adding($1.0, $1.1) }
    }

    private static let comparison: Schema = {
        let file = Schema.object(["path": .text, "size": .count])
        return .object([
            "from": .version, "to": .version, "added": .array(file),
            "changed": .array(.object(["path": .text, "size": .count, "sizeBefore": .count])),
            "removed": .array(file), "moved": .array(.object(["path": .text, "size": .count, "from": .text])),
            "bytes": .object(["added": .count, "changed": .count, "removed": .count, "moved": .count]),
            "download": .object(["full": .count, "files": Schema.count.orNull, "delta": Schema.count.orNull]),
        ])
    }()
}
