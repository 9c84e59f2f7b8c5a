import Domain
import Ground
import HTTP

/// The statistics of a package or an app in the forms of a response.
struct StatisticsDocument {
    private let package: PackageID?
    private let app: AppID
    private let series: ReportSeries
    private let asOf: Timestamp

    /// - Parameters:
    ///   - package: The package that the statistics are about; `nil` for all packages of the app.
    ///   - asOf: The time at which the statistics were read.
    init(about package: PackageID?, in app: AppID, series: ReportSeries, asOf: Timestamp) {
        self.package = package
        self.app = app
        self.series = series
        self.asOf = asOf
    }

    func response(as format: StatisticsRequest.Format) -> Response {
        switch format {
        case .json: .json(.ok, json)
        case .csv: Self.text(csv, "text/csv; charset=utf-8")
        case .ndjson:
            Self.text(series.rows.map { row(of: $0).text + "\n" }.joined(), "application/x-ndjson")
        }
    }

    private static func text(_ text: String, _ type: String) -> Response {
        var fields = Fields()
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        return Response(.ok, fields: fields, body: .bytes(Array(text.utf8)))
    }

    private var json: JSON {
        .object([
            "app": package == nil ? .string(app.text) : nil,
            "package": package.map { .string($0.text) },
            "from": .string(series.query.from.rfc3339),
            "to": .string(series.query.to.rfc3339),
            "bucket": .string(series.query.bucket.rawValue),
            "asOf": .string(asOf.rfc3339),
            "aggregatedThrough": series.aggregatedThrough.map { .string($0.rfc3339) },
            "series": .array(series.rows.map(row)),
            "funnel": funnels,
            "reasons": .array(series.reasons.map(Self.json)),
        ])
    }

    /// The funnels by version; those of an app by package, then version.
    private var funnels: JSON {
        func versions(_ funnels: [ReportSeries.Funnel]) -> JSON {
            .object(funnels.map { JSON.Member($0.version.version, Self.json($0)) })
        }
        guard package == nil else { return versions(series.funnels) }
        let packages = Dictionary(grouping: series.funnels, by: \.version.package).sorted { $0.key < $1.key }
        return .object(packages.map { JSON.Member($0.text, versions($1)) })
    }

    private func row(of row: ReportSeries.Row) -> JSON {
        let values = zip(series.query.groups, row.values).map { group, value in
            JSON.Member(
                group.rawValue, group == .release ? .integer(Int64(value) ?? 0) : .string(value))
        }
        let span = row.span.map { [JSON.Member("span", .string($0.rawValue))] } ?? []
        var members = [JSON.Member("start", .string(row.start.rfc3339))] + span + values
        members.append(.init("reports", .integer(Int64(row.reports))))
        members.append(.init("corrected", .integer(Int64(row.corrected))))
        members += Self.members(row.devices)
        if !row.durations.isEmpty { members.append(.init("durations", Self.json(row.durations))) }
        return .object(members)
    }

    private static func members(_ devices: ReportSeries.Devices) -> [JSON.Member] {
        [.init("devices", .integer(Int64(devices.count))), .init("devicesExact", .bool(devices.isExact))]
    }

    private static func json(_ durations: DurationSketch) -> JSON {
        func percentile(_ percentage: Int) -> JSON { .integer(Int64(durations.percentile(percentage) ?? 0)) }
        return .object([
            "count": .integer(Int64(durations.count)), "p50": percentile(50), "p90": percentile(90),
            "p99": percentile(99),
        ])
    }

    private static func json(_ funnel: ReportSeries.Funnel) -> JSON {
        .object(
            zip(FunnelStep.allCases, funnel.steps).map { step, devices in
                JSON.Member(step.rawValue, .object(members(devices)))
            })
    }

    private static func json(_ reason: ReportSeries.Reason) -> JSON {
        .object(
            [
                .init("event", .string(reason.event)), .init("reason", .string(reason.reason)),
                .init("reports", .integer(Int64(reason.reports))),
            ] + members(reason.devices))
    }

    // MARK: CSV

    /// The rows by RFC 4180, with a header.
    private var csv: String {
        let names =
            ["start"] + (series.query.bucket == .hour ? ["span"] : []) + series.query.groups.map(\.rawValue)
            + ["reports", "corrected", "devices", "devicesExact", "durations", "p50", "p90", "p99"]
        let rows = series.rows.map { row in
            let durations = [50, 90, 99].map { row.durations.percentile($0).map { "\($0)" } ?? "" }
            return [row.start.rfc3339] + (row.span.map { [$0.rawValue] } ?? []) + row.values
                + [
                    "\(row.reports)", "\(row.corrected)", "\(row.devices.count)", "\(row.devices.isExact)",
                    "\(row.durations.count)",
                ] + durations
        }
        return ([names] + rows).map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Returns a field, quoted if it needs to be.
    ///
    /// Devices choose the texts. A spreadsheet would run one that begins like a formula, so that it gets an apostrophe;
    /// some skip control characters, or read fullwidth characters as their ASCII forms.
    private static func field(_ text: String) -> String {
        let isFormula =
            text.unicodeScalars.first.map { first in
                first.properties.generalCategory == .control || "=+-@＝＋－＠".unicodeScalars.contains(first)
            } ?? false
        let text = isFormula ? "'" + text : text
        guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
