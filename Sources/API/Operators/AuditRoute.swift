import Domain
import Execution
import Ground
import HTTP
import Platform

/// The route of the audit log: a page of it as JSON, or all matching entries as NDJSON.
struct AuditRoute {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let (log, work) = (routes.services.auditLog, routes.services.work)
        routes.add(.get, "/audit", .admin, to: &router, parameters: AuditRequest.parameters) {
            call throws(PlatformError) in
            let request = try AuditRequest(call.request.head)
            switch request.format {
            case .json:
                let head = try await log.head()
                let (entries, hasMore) = try await log.page(
                    request.filter, before: request.before, limit: request.limit)
                var response = await Response.json(.ok, on: work) {
                    .object(["entries": .array(entries.map(\.json)), "head": head.json])
                }
                if hasMore, let last = entries.last { response.fields[.link] = request.link(before: last.id) }
                return response
            case .ndjson:
                return Self.export(
                    request, of: log, by: work, before: min(try await log.head().id + 1, request.before ?? .max))
            }
        }
    }

    /// Adds the route of an app's history, which viewers read.
    func addHistory(to router: inout OperatorRouter) {
        let (log, work, routes) = (routes.services.auditLog, routes.services.work, routes)
        routes.add(
            .get, "/apps/{app}/history", .viewer, to: &router, parameters: ["package", "action", "limit", "before"]
        ) { call throws(PlatformError) in
            let app = try routes.app(call.parameters).id
            let query = call.request.head.query
            let (entries, hasMore) = try await log.history(
                of: app, package: try AuditRequest.package(of: query), actions: try AuditRequest.actions(of: query),
                before: try AuditRequest.before(of: query), limit: try PageLimit.audit.read(query))
            var response = await Response.json(.ok, on: work) {
                .object(["entries": .array(entries.map { $0.entry.json($0.id) })])
            }
            if hasMore, let last = entries.last {
                response.fields[.link] = PageLink.next(
                    "/api/v1/apps/\(app.text)/history", query, "before", String(last.id))
            }
            return response
        }
    }

    /// Returns a response that reads the entries in pages, as fast as the client takes them.
    ///
    /// It ends at the entry that is the newest now, although entries are appended meanwhile.
    private static func export(
        _ request: AuditRequest, of log: AuditLog, by work: WorkExecutor, before end: Int64
    ) -> Response {
        Response(
            .ok, fields: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: .stream(length: nil) { writer in
                var last: Int64 = 0
                while true {
                    let entries = try await log.exportPage(request.filter, after: last, before: end)
                    guard let newest = entries.last?.id else { return }
                    last = newest
                    try await writer.write(
                        await work.run { entries.flatMap { $0.json.bytes() + [UInt8(ascii: "\n")] } })
                    guard entries.count == AuditLog.exportPage else { return }
                }
            })
    }
}

/// The parameters of a request for the audit log.
struct AuditRequest {
    /// The form of the response.
    enum Format: String, CaseIterable {
        case json
        case ndjson
    }

    /// The names of parameters.
    private enum Name: String, CaseIterable {
        case actor, action, object, app, since, until, limit, before, format
    }

    let filter: AuditFilter
    /// The id before which entries are returned; `nil` for all.
    let before: Int64?
    let limit: Int
    let format: Format
    private let query: Query

    static let parameters = QueryParameters(Name.allCases.map(\.rawValue))

    /// Throws `invalidRequest` for a malformed parameter.
    init(_ head: RequestHead) throws(PlatformError) {
        let query = head.query
        self.query = query
        format =
            try Self.read(.format, of: query, "one of json, ndjson") { Format(rawValue: $0) } ?? Self.accepted(head)
        limit = try PageLimit.audit.read(query)
        guard format == .json || query["limit"] == nil else {
            throw PlatformError(.invalidRequest, "'limit' is for JSON: NDJSON has all entries. Leave out 'limit'.")
        }
        before = try Self.before(of: query)
        filter = AuditFilter(
            actor: query["actor"],
            actions: try Self.actions(of: query),
            object: query["object"],
            app: try Self.read(.app, of: query, "an app id: \(AppID.shape)") { AppID($0) },
            since: try Self.read(.since, of: query, Self.time) { Timestamp(rfc3339: $0) },
            until: try Self.read(.until, of: query, Self.time) { Timestamp(rfc3339: $0) })
        if let since = filter.since, let until = filter.until, since >= until {
            throw PlatformError(.invalidRequest, "'since' must be before 'until'.")
        }
    }

    /// Returns the value of `Link` for the next page (RFC 8288): the same request for the entries before an id.
    func link(before id: Int64) -> String {
        PageLink.next("/api/v1/audit", query, Name.before.rawValue, String(id))
    }

    /// Returns the id before which entries are asked for.
    static func before(of query: Query) throws(PlatformError) -> Int64? {
        try read(.before, of: query, "the id of an entry") { Int64($0) }
    }

    /// Returns the actions that a request asks for; `nil` for all.
    static func actions(of query: Query) throws(PlatformError) -> [AuditAction]? {
        try read(.action, of: query, actions, AuditAction.matching)
    }

    /// Returns the package that a request asks for; `nil` for all.
    static func package(of query: Query) throws(PlatformError) -> PackageID? {
        guard let text = query["package"] else { return nil }
        guard let package = PackageID(text) else {
            throw PlatformError(.invalidRequest, "'package' must be the id of a package: \(PackageID.shape).")
        }
        return package
    }

    private static let time = "an RFC 3339 time such as 2026-12-01T08:00:00Z"
    private static let actions =
        "an action, or all of a subject such as release.*. Subjects: \(AuditAction.subjects.joined(separator: ", ")). "
        + "Actions: \(AuditAction.allCases.map(\.rawValue).joined(separator: ", "))"

    /// Returns the form that `Accept` prefers: NDJSON if it is named and JSON is not.
    private static func accepted(_ head: RequestHead) -> Format {
        let types = (head[.accept] ?? "").split(separator: ",").map { range in
            range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        return types.contains("application/x-ndjson") && !types.contains("application/json") ? .ndjson : .json
    }

    private static func read<Value>(
        _ name: Name, of query: Query, _ shape: String, _ parse: (String) -> Value?
    ) throws(PlatformError) -> Value? {
        guard let text = query[name.rawValue] else { return nil }
        guard let value = parse(text) else { throw wrong(name, shape) }
        return value
    }

    private static func wrong(_ name: Name, _ shape: String) -> PlatformError {
        PlatformError(.invalidRequest, "'\(name.rawValue)' must be \(shape).")
    }
}

extension PageLimit {
    /// The limit of the audit log, which only grows.
    fileprivate static let audit = PageLimit(sizes: AuditLog.pageSizes, standard: AuditLog.page)
}
