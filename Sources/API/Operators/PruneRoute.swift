import Domain
import Ground
import HTTP
import Platform

/// The route that removes unneeded versions and blobs, or lists them in a dry run.
struct PruneRoute {
    /// The time limit of one request; the next request continues.
    private static let limit: Duration = .seconds(20)

    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let pruner = routes.services.pruner
        routes.add(
            .post, "/prune", .admin, to: &router, dryRun: .handledByRoute,
            idempotency: .unneeded("Pruning needs no 'Idempotency-Key': repeated, it removes what is left.")
        ) { call throws(PlatformError) in
            let body = try await call.json()
            try body.finish()
            if try Self.isRehearsal(call.request.head.query["dryRun"]) {
                return .json(.ok, Self.json(try await pruner.rehearse(within: Self.limit)))
            }
            return .json(.ok, Self.json(try await pruner.prune(by: call.author, within: Self.limit)))
        }
    }

    private static func isRehearsal(_ text: String?) throws(PlatformError) -> Bool {
        switch text {
        case nil, "0": false
        case "1": true
        default:
            throw PlatformError(
                .invalidRequest, "'dryRun' must be 1 (list what would be removed) or 0 (remove it).")
        }
    }

    private static func json(_ report: PruneReport) -> JSON {
        .object([
            "dryRun": .bool(report.isRehearsal), "versions": .integer(Int64(report.versions)),
            "archives": .integer(Int64(report.artifacts)), "blobs": .integer(Int64(report.blobs)),
            "bytes": .integer(Int64(report.bytes)), "items": .array(report.items.map(json)),
            "unlisted": .integer(Int64(report.unlisted)), "more": .bool(report.isPartial),
            "heldByBackup": .bool(report.isHeldByBackup),
            "skippedApps": .array(report.skipped.map { .string($0.text) }),
            "failures": .array(report.failures.map { .string($0.message) }),
        ])
    }

    private static func json(_ item: PruneReport.Item) -> JSON {
        .object([
            "app": .string(item.app.text), "package": .string(item.package.text),
            "version": .string(item.version.text), "kind": .string(item.patch?.kind ?? "version"),
            "from": item.patch.map { .string($0.base.text) }, "sha256": item.patch.map { .string($0.blob.hex) },
            "reason": .string(item.reason.rawValue), "archiveBytes": .integer(Int64(item.bytes)),
        ])
    }
}
