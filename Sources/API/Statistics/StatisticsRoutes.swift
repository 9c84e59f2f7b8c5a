import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of statistics: what devices have reported about a package, or about all packages of an app.
struct StatisticsRoutes {
    let routes: OperatorRoutes

    func add(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(
            .get, "/apps/{app}/packages/{package}/stats", .viewer, to: &router,
            parameters: StatisticsRequest.parameters(ReportQuery.Dimension.ofPackage)
        ) { call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            return try await respond(to: call, about: package.id, in: package.app)
        }
        routes.add(
            .get, "/apps/{app}/stats", .viewer, to: &router,
            parameters: StatisticsRequest.parameters(ReportQuery.Dimension.allCases)
        ) { call throws(PlatformError) in
            try await respond(to: call, about: nil, in: try routes.app(call.parameters).id)
        }
    }

    /// - Parameter package: The package that the statistics are about; `nil` for all packages of the app.
    private func respond(
        to call: OperatorRoutes.Call, about package: PackageID?, in app: AppID
    ) async throws(PlatformError) -> Response {
        let services = routes.services
        let query = call.request.head.query
        guard !query.isEmpty else {
            let counts = try await services.statistics.counts(of: package, in: app)
            return await .json(.ok, on: services.work) { Self.json(counts, about: package, in: app) }
        }
        let request = try StatisticsRequest(
            query, by: package == nil ? ReportQuery.Dimension.allCases : ReportQuery.Dimension.ofPackage,
            at: services.clock.now())
        let (series, asOf) = try await services.statistics.series(of: package, in: app, request.query)
        return await services.work.run {
            StatisticsDocument(about: package, in: app, series: series, asOf: asOf).response(as: request.format)
        }
    }

    private static func json(_ counts: [ReportCount], about package: PackageID?, in app: AppID) -> JSON {
        guard let package else {
            let packages = Dictionary(grouping: counts, by: \.version.package).sorted { $0.key < $1.key }
            return .object([
                "app": .string(app.text),
                "packages": .object(packages.map { JSON.Member($0.text, versions($1)) }),
            ])
        }
        return .object(["package": .string(package.text), "versions": versions(counts)])
    }

    /// Groups the counts by version, then event: the number of reports and of devices.
    private static func versions(_ counts: [ReportCount]) -> JSON {
        let versions = Dictionary(grouping: counts, by: \.version.version).sorted { $0.key < $1.key }
        return .object(
            versions.map { version, counts in
                let events = counts.sorted { $0.event < $1.event }.map { count in
                    JSON.Member(
                        count.event,
                        .object(["reports": .integer(Int64(count.reports)), "devices": .integer(Int64(count.devices))]))
                }
                return JSON.Member(version, .object(events))
            })
    }
}

/// The parameters of a request for statistics by time.
struct StatisticsRequest {
    /// The form of the response.
    enum Format: String, CaseIterable {
        case json
        case csv
        case ndjson
    }

    let query: ReportQuery
    let format: Format

    /// Returns the names of the parameters of a route.
    static func parameters(_ dimensions: [ReportQuery.Dimension]) -> QueryParameters {
        QueryParameters(["from", "to", "bucket", "groupBy", "format"] + dimensions.map(\.rawValue))
    }

    /// Throws `invalidRequest` for a malformed parameter.
    ///
    /// - Parameter dimensions: The properties by which reports may be filtered and grouped.
    init(_ query: Query, by dimensions: [ReportQuery.Dimension], at now: Timestamp) throws(PlatformError) {
        let bucket = try Self.choice("bucket", of: query, ReportQuery.Bucket.self) ?? .day
        format = try Self.choice("format", of: query, Format.self) ?? .json
        let (from, to) = (try Self.time("from", of: query), try Self.time("to", of: query))
        var filters: [ReportQuery.Dimension: String] = [:]
        for dimension in dimensions {
            filters[dimension] = query[dimension.rawValue]
        }
        // As texts of reports are stored.
        for dimension in [ReportQuery.Dimension.reason, .platform, .appVersion] {
            filters[dimension] = filters[dimension].map { ReportFacts.text($0) ?? "" }
        }
        if let text = filters[.package], PackageID(text) == nil {
            throw PlatformError(.invalidRequest, "'package' must be a package id: \(PackageID.shape).")
        }
        if let text = filters[.release] {
            guard let release = Int64(text), release >= 0 else {
                throw PlatformError(.invalidRequest, "'release' must be the id of a release, or 0 for none.")
            }
            filters[.release] = String(release)
        }
        self.query = ReportQuery(
            from: from, to: to, bucket: bucket, filters: filters,
            groups: try Self.groups(query["groupBy"], among: dimensions),
            at: now)
        guard self.query.from < self.query.to else {
            throw PlatformError(.invalidRequest, "'from' must be before 'to'.")
        }
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of query: Query, _ type: Value.Type
    ) throws(PlatformError) -> Value? {
        guard let text = query[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw PlatformError(.invalidRequest, "'\(name)' must be one of \(values).")
        }
        return value
    }

    private static func time(_ name: String, of query: Query) throws(PlatformError) -> Timestamp? {
        guard let text = query[name] else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw PlatformError(.invalidRequest, "'\(name)' must be an RFC 3339 time such as 2026-12-01T08:00:00Z.")
        }
        return time
    }

    private static func groups(
        _ text: String?, among dimensions: [ReportQuery.Dimension]
    ) throws(PlatformError) -> [ReportQuery.Dimension] {
        guard let text else { return [] }
        var groups: [ReportQuery.Dimension] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let dimension = dimensions.first(where: { $0.rawValue == name }), !groups.contains(dimension) else {
                let names = dimensions.map(\.rawValue).joined(separator: ", ")
                throw PlatformError(.invalidRequest, "'groupBy' must list some of \(names), each once.")
            }
            groups.append(dimension)
        }
        return groups
    }
}
