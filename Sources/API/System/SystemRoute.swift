import Domain
import Execution
import Ground
import HTTP
import Platform

/// The route of the state of the server for operators, without secrets.
struct SystemRoute {
    let routes: OperatorRoutes
    let facts: ServerFacts
    let traffic: any TrafficSource
    /// The number of requests that may wait on `/push`.
    let pollLimit: Int

    func add(to router: inout OperatorRouter) {
        let (services, facts, traffic, pollLimit) = (routes.services, facts, traffic, pollLimit)
        routes.add(.get, "/system", .admin, to: &router) { _ throws(PlatformError) in
            let blobs = try await services.pruner.blobTotals()
            let space = await services.work.run { facts.space() }
            let (figures, seen, now) = (await traffic.traffic(), services.devicesSeen.figures, services.clock.now())
            return .json(
                .ok,
                .object([
                    "version": .string(facts.version), "startedAt": .string(facts.startedAt.rfc3339),
                    "now": .string(now.rfc3339),
                    "database": .object([
                        "kind": .string(facts.database.kind), "schema": .integer(Int64(facts.database.schema)),
                        "snapshotAge": .integer(services.contact.snapshotAge ?? 0),
                    ]),
                    "data": .object([
                        "path": .string(facts.dataDirectory), "freeBytes": space.map { .integer($0.free) } ?? .null,
                        "totalBytes": space.map { .integer($0.total) } ?? .null,
                    ]),
                    "blobs": .object(["files": .integer(Int64(blobs.count)), "bytes": .integer(blobs.bytes)]),
                    "certificate": facts.certificateEnd().map { .object(["expiresAt": .string($0.rfc3339)]) } ?? .null,
                    "blobCache": services.blobs.figures.map(Self.json) ?? .null,
                    "devicesSeen": .object([
                        "devices": .integer(Int64(seen.devices)), "limit": .integer(Int64(seen.limit)),
                        "dropped": .integer(Int64(seen.dropped)),
                    ]),
                    "connections": .object([
                        "open": .integer(Int64(figures.connections)), "waiting": .integer(Int64(figures.waiting)),
                        "waitingLimit": .integer(Int64(pollLimit)),
                    ]),
                    "spooledReports": services.reports.spoolFigures.map(Self.json) ?? .null,
                    "node": services.nodes.map(Self.json) ?? .null,
                    "limits": .array(facts.limits.map(Self.json)),
                ]))
        }
    }

    private static func json(_ limit: ServerFacts.Limit) -> JSON {
        .object(["name": .string(limit.name), "value": .integer(limit.value), "unit": .string(limit.unit)])
    }

    private static func json(_ cache: BlobStoreFigures) -> JSON {
        .object(["files": .integer(Int64(cache.cachedFiles)), "bytes": .integer(Int64(cache.cachedBytes))])
    }

    private static func json(_ spool: ReportSpoolFigures) -> JSON {
        .object(["reports": .integer(Int64(spool.reports)), "bytes": .integer(Int64(spool.bytes))])
    }

    private static func json(_ nodes: NodeServices) -> JSON {
        .object(["connected": .bool(nodes.follower.isConnected), "leaseHeld": .bool(nodes.lease.isHeld)])
    }
}
