import Domain
import Execution
import Ground
import HTTP
import Platform

/// The routes of statistics: what devices have reported about a package.
struct StatisticsRoutes {
    let routes: OperatorRoutes

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, "/apps/{app}/packages/{package}/stats", .publisher, to: &router) {
            call throws(PlatformError) in
            let package = try await routes.package(call.parameters)
            let query = call.request.head.query
            let statistics = routes.services.statistics
            guard !query.isEmpty else {
                let counts = try await statistics.counts(of: package)
                return .json(.ok, .object(["package": .string(package.id.text), "versions": Self.json(counts)]))
            }
            let request = try StatisticsRequest(query, at: routes.services.clock.now())
            let (series, asOf) = try await statistics.series(of: package, request.query)
            return await routes.services.work.run {
                StatisticsDocument(of: package.id, series: series, asOf: asOf).response(as: request.format)
            }
        }
    }

    /// Groups the counts by version, then event: the number of reports and of devices.
    private static func json(_ counts: [ReportCount]) -> JSON {
        let versions = Dictionary(grouping: counts, by: \.version).sorted { $0.key < $1.key }
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

    /// Throws `invalidRequest` for an unknown, repeated or malformed parameter.
    init(_ query: Query, at now: Timestamp) throws(PlatformError) {
        let dimensions = ReportQuery.Dimension.allCases.map(\.rawValue)
        let known = ["from", "to", "bucket", "groupBy", "format"] + dimensions
        for name in query.names {
            guard known.contains(name) else {
                throw PlatformError(
                    .invalidRequest,
                    "The parameter '\(ShownText.of(name.utf8))' is unknown. Use \(known.joined(separator: ", ")).")
            }
            guard query.names.count(where: { $0 == name }) == 1 else {
                throw PlatformError(.invalidRequest, "The parameter '\(name)' is repeated. Send it once.")
            }
        }
        let bucket = try Self.choice("bucket", of: query, ReportQuery.Bucket.self) ?? .day
        format = try Self.choice("format", of: query, Format.self) ?? .json
        let (from, to) = (try Self.time("from", of: query), try Self.time("to", of: query))
        var filters: [ReportQuery.Dimension: String] = [:]
        for dimension in ReportQuery.Dimension.allCases {
            filters[dimension] = query[dimension.rawValue]
        }
        // As texts of reports are stored.
        for dimension in [ReportQuery.Dimension.reason, .platform, .appVersion] {
            filters[dimension] = filters[dimension].map { ReportFacts.text($0) ?? "" }
        }
        if let text = filters[.release] {
            guard let release = Int64(text), release >= 0 else {
                throw PlatformError(.invalidRequest, "'release' must be the id of a release, or 0 for none.")
            }
            filters[.release] = String(release)
        }
        self.query = ReportQuery(
            from: from, to: to, bucket: bucket, filters: filters, groups: try Self.groups(query["groupBy"]), at: now)
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

    private static func groups(_ text: String?) throws(PlatformError) -> [ReportQuery.Dimension] {
        guard let text else { return [] }
        var groups: [ReportQuery.Dimension] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let dimension = ReportQuery.Dimension(rawValue: String(name)), !groups.contains(dimension) else {
                let names = ReportQuery.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
                throw PlatformError(.invalidRequest, "'groupBy' must list some of \(names), each once.")
            }
            groups.append(dimension)
        }
        return groups
    }
}
