import Domain
import Ground
import HTTP

extension OperationGroup {
    static let keys = OperationGroup(
        name: "Keys", text: "The keys that sign archives and what devices trust.",
        operations: [
            Operation(
                route: "GET /apps/{app}/keys", id: "listKeys", summary: "Lists keys, without secrets",
                responses: [keyList], parameters: ["state": .choice(["in-use", "retired"])]),
            Operation(
                route: "GET /apps/{app}/keys/{keyId}", id: "getKey", summary: "Returns one key, without secrets",
                responses: [.ok(.named("Key"), key)]),
            Operation(
                route: "POST /apps/{app}/keys", id: "makeKey", summary: "Generates a signing key or a root key",
                details: "A signing key joins those in use. A root key replaces the current one.",
                body: .json(.object(["purpose": .choice(["signing", "root"])]), #"{"purpose": "signing"}"#),
                responses: [.created(.named("Key"), key), .ok(.named("Key"), key)], errors: [.signingFailed]),
            Operation(
                route: "PUT /apps/{app}/keys/signing", id: "importSigningKey",
                summary: "Imports a signing key from a PEM, which joins those in use",
                body: .bytes("application/x-pem-file"), responses: Operation.put("Key", key), errors: [.signingFailed],
                parameters: ["half": .choice(["public"])]),
            Operation(
                route: "POST /apps/{app}/keys/{keyId}/retire", id: "retireKey", summary: "Retires a key",
                body: .json(.object([:]), "{}", isRequired: false), responses: [.ok(.named("Key"), key)],
                errors: [.signingFailed]),
            Operation(
                route: "GET /apps/{app}/keys/legacy", id: "exportLegacyKey",
                summary: "Returns a legacy private key as PEM; recorded in the audit log",
                responses: [
                    .init(
                        status: .ok, text: "The private key.",
                        content: [.init(mediaType: "application/x-pem-file", schema: .text, example: "")])
                ], errors: [.keyNotFound]),
            Operation(
                route: "PUT /apps/{app}/keys/legacy", id: "importLegacyKey",
                summary: "Imports a legacy key from a PEM", body: .bytes("application/x-pem-file"),
                responses: [.ok(.named("Key"), key)], errors: [.signingFailed]),
        ],
        schemas: [
            (
                "Key",
                .shown(
                    [
                        "keyId": .text, "purpose": .choice(KeyPurpose.self), "algorithm": .choice(["rsa", "ed25519"]),
                        "privateHalf": .boolean, "createdAt": .time,
                    ],
                    optional: [
                        "publicKey": .text, "fingerprint": .text, "retiredAt": .time, "baseUrls": .array(.text),
                    ])
            )
        ])

    static let server = OperationGroup(
        name: "Server", text: "The audit log, streams of changes, retention and metrics.",
        operations: [
            Operation(
                route: "GET ", id: "listRoutes", summary: "Lists the routes of the operators' API and /metrics",
                responses: [.ok(.object(["routes": .array(.anyObject)]), #"{"routes": []}"#)]),
            Operation(
                route: "GET /audit", id: "getAuditLog", summary: "Returns the audit log, the newest entries first",
                responses: [audit], parameters: ["format": .choice(AuditRequest.Format.self)]),
            Operation(
                route: "GET /apps/{app}/history", id: "getHistory",
                summary: "Returns the changes of an app, the newest first", responses: [history]),
            Operation(
                route: "GET /apps/{app}/events", id: "streamEvents",
                summary: "Sends the changes of an app as an event stream",
                responses: [
                    .init(
                        status: .ok, text: "A stream without an end.",
                        content: [.init(mediaType: "text/event-stream", schema: .text, example: "")])
                ], errors: [.busy],
                fields: [
                    .init(
                        name: "Last-Event-ID", schema: .text, text: "The id of the last event that the client has.",
                        isRequired: false)
                ]),
            Operation(
                route: "POST /prune", id: "prune",
                summary: "Removes versions and patches that retention no longer keeps",
                body: .json(.object([:]), "{}", isRequired: false), responses: [.ok(.named("PruneReport"), pruned)],
                errors: [.busy]),
            Operation(
                route: "GET /system", id: "getSystem", summary: "Returns the state of the server, without secrets",
                responses: [.ok(.named("System"), system)]),
            Operation(
                route: "GET /metrics", id: "getMetrics", summary: "Returns metrics in Prometheus' text format",
                responses: [
                    .init(
                        status: .ok, text: "OK",
                        content: [.init(mediaType: "text/plain", schema: .text, example: "")])
                ]),
        ],
        schemas: [
            ("PruneReport", pruneSchema), ("System", systemSchema),
            (
                "AuditEntry",
                .object(
                    [
                        "id": .id, "time": .time, "actor": .text, "action": .text, "subject": .text,
                        "details": .anyObject,
                    ], optional: ["app": .name, "from": .anyObject, "hash": .hash])
            ),
        ])

    private static let key =
        #"{"keyId": "6207bef7226b9d6b", "purpose": "signing", "algorithm": "ed25519", "publicKey": "TRYy6RTyjw==", "#
        + #""fingerprint": "6207bef7226b9d6b", "privateHalf": true, "createdAt": "2026-11-21T07:32:27.827Z"}"#
    private static let system =
        #"{"version": "0.1.0", "startedAt": "2026-12-01T00:00:00Z", "now": "2026-12-01T08:00:00Z", "#
        + #""database": {"kind": "sqlite", "schema": 36, "snapshotAge": 0}, "#
        + #""data": {"path": "/var/lib/larder", "freeBytes": 1000000000, "totalBytes": 5000000000}, "#
        + #""blobs": {"files": 41, "bytes": 21000000}, "certificate": {"expiresAt": "2027-02-01T00:00:00Z"}, "#
        + #""blobCache": null, "#
        + #""devicesSeen": {"devices": 1200, "limit": 100000, "dropped": 0}, "#
        + #""connections": {"open": 41, "waiting": 38, "waitingLimit": 61440}, "spooledReports": null, "node": null, "#
        + #""limits": [{"name": "max-upload-bytes", "value": 268435456, "unit": "bytes"}]}"#
    private static let systemSchema = Schema.object([
        "version": .text, "startedAt": .time, "now": .time,
        "database": .object(["kind": .choice(["sqlite", "postgresql"]), "schema": .count, "snapshotAge": .count]),
        "data": .object(["path": .text, "freeBytes": Schema.count.orNull, "totalBytes": Schema.count.orNull]),
        "blobs": .object(["files": .count, "bytes": .count]),
        "certificate": Schema.object(["expiresAt": .time]).orNull,
        "blobCache": Schema.object(["files": .count, "bytes": .count]).orNull,
        "devicesSeen": .object(["devices": .count, "limit": .count, "dropped": .count]),
        "connections": .object(["open": .count, "waiting": .count, "waitingLimit": .count]),
        "spooledReports": Schema.object(["reports": .count, "bytes": .count]).orNull,
        "node": Schema.object(["connected": .boolean, "leaseHeld": .boolean]).orNull,
        "limits": .array(.object(["name": .text, "value": .count, "unit": .text])),
    ])
    private static let pruned =
        #"{"dryRun": true, "versions": 1, "archives": 3, "blobs": 4, "bytes": 21006, "items": [], "unlisted": 0, "#
        + #""more": false, "heldByBackup": false, "skippedApps": [], "failures": []}"#

    private static let keyList: Operation.Outcome = {
        let keys = Schema.array(.named("Key"), upTo: PageLimit.list.sizes.upperBound)
        var outcome = Operation.Outcome.ok(
            .object(["keys": keys, "retired": keys]), #"{"keys": [\#(key)], "retired": []}"#)
        outcome.fields = ["Link"]
        return outcome
    }()

    private static let audit: Operation.Outcome = {
        let hash = String(repeating: "9f", count: 32)
        let page = Schema.object([
            "entries": .array(.named("AuditEntry")),
            "head": .object(["id": .count, "hash": .hash]),
        ])
        return .init(
            status: .ok, text: "OK",
            content: [
                .init(
                    mediaType: "application/json", schema: page,
                    example: #"{"entries": [], "head": {"id": 0, "hash": "\#(hash)"}}"#),
                .init(mediaType: "application/x-ndjson", schema: .text, example: ""),
            ], fields: ["Link"])
    }()

    private static let history: Operation.Outcome = {
        var outcome = Operation.Outcome.ok(
            .object(["entries": .array(.named("AuditEntry"))]), #"{"entries": []}"#)
        outcome.fields = ["Link"]
        return outcome
    }()

    private static let pruneSchema = Schema.object([
        "dryRun": .boolean, "versions": .count, "archives": .count, "blobs": .count, "bytes": .count,
        "items": .array(
            .object(
                [
                    "app": .name, "package": .packageID, "version": .version, "kind": .text, "reason": .text,
                    "archiveBytes": .count,
                ], optional: ["from": .version, "sha256": .hash])),
        "unlisted": .count, "more": .boolean, "heldByBackup": .boolean, "skippedApps": .array(.name),
        "failures": .array(.text),
    ])
}
