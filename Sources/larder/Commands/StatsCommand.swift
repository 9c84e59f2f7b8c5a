import Client
import Domain
import Ground
import HTTP

/// The command `larder stats`, which shows what devices have reported about a package, or about all of an app.
enum StatsCommand: Command {
    static let name = "stats"
    static let summary = "show what devices have reported about a package or an app"
    static let about = """
        Prints the numbers of reports and of devices by version and event, of PACKAGE or of all packages. With --from,
        --to, --bucket, --by, --format or a filter, it prints rows by time instead: numbers, percentiles of durations,
        the funnel of each version, reasons of failures. A filter NAME=VALUE selects reports. NAME is version, event,
        release, platform, appVersion or reason; without PACKAGE also package. --by accepts the same names. A device
        that reports about several packages counts once in a row. '~' marks an estimated number of devices.
        """

    /// The number of filters: one for each name.
    private static let maximumFilters = ReportQuery.Dimension.allCases.count

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operands("[PACKAGE] [NAME=VALUE …]", upTo: 1 + maximumFilters), .app,
                    .options([
                        OptionShape(
                            name: "--from", placeholder: "TIME",
                            help: "the beginning, such as 2026-12-01T08:00:00+08:00 (default: 30 days before the end)"),
                        OptionShape(name: "--to", placeholder: "TIME", help: "the end (default: now)"),
                        OptionShape(
                            name: "--bucket", placeholder: "LENGTH",
                            help: "the time of a row: hour, day or all (default day)"),
                        OptionShape(
                            name: "--by", placeholder: "NAMES",
                            help: "a row for each combination of these, such as version,event"),
                        OptionShape(
                            name: "--format", placeholder: "FORMAT", help: "print the rows as csv or as ndjson"),
                    ]),
                    .reading)
            ) { operands, app, options, call throws(CommandError) in
                let path = try path(operands, options, of: app)
                guard let format = options["--format"] else {
                    let response = try call.ask(.get, path)
                    try call.show(response) { response throws(CommandError) in show(response) }
                    return .success
                }
                guard ["csv", "ndjson"].contains(format) else { throw .usage("--format must be csv or ndjson") }
                guard !call.isJSON else { throw .usage("give --json or --format, not both") }
                let bytes = try CommandError.asking { () throws(OperatorsError) in try call.client.bytes(path) }
                let rows = Terminal.printable(String(decoding: bytes, as: UTF8.self))
                Terminal.out(rows.last?.isNewline == true ? String(rows.dropLast()) : rows)
                return .success
            }
        ]
    }

    /// Returns the path of a request with its query.
    private static func path(
        _ operands: [String], _ options: [String: String], of app: AppID
    ) throws(CommandError) -> String {
        guard let text = operands.first, !text.contains("=") else {
            let query = try query(options, filters: operands, by: ReportQuery.Dimension.allCases)
            return "/apps/\(app)/stats" + query
        }
        guard let package = PackageID(text) else {
            throw .usage("'\(text)' is not a package id: \(PackageID.shape)")
        }
        let query = try query(options, filters: operands.dropFirst(), by: ReportQuery.Dimension.ofPackage)
        return "/apps/\(app)/packages/\(package)/stats" + query
    }

    /// Returns the query of a request with its question mark; empty for the counts of all time.
    private static func query(
        _ options: [String: String], filters: some Sequence<String>, by dimensions: [ReportQuery.Dimension]
    ) throws(CommandError) -> String {
        let names = [
            ("--from", "from"), ("--to", "to"), ("--bucket", "bucket"), ("--by", "groupBy"), ("--format", "format"),
        ]
        var parameters = names.compactMap { option, name in options[option].map { (name, $0) } }
        for filter in filters {
            let parts = filter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, dimensions.contains(where: { $0.rawValue == parts[0] }) else {
                let names = dimensions.map(\.rawValue).joined(separator: ", ")
                throw .usage("'\(filter)' is not NAME=VALUE with one of \(names)")
            }
            parameters.append((parts[0], parts[1]))
        }
        guard !parameters.isEmpty else { return "" }
        return "?" + parameters.map { "\($0.0)=\(PercentEncoding.encode($0.1.utf8))" }.joined(separator: "&")
    }

    // MARK: Lines

    private static func show(_ response: JSON) {
        showCounts(response["versions"])
        for package in response["packages"]?.members ?? [] { showCounts(package.value, of: "\(shown(package.key)) ") }
        for row in response["series"]?.elements ?? [] { Terminal.out(line(row)) }
        if response["package"] == nil {
            for package in response["funnel"]?.members ?? [] {
                showFunnels(package.value, of: "\(shown(package.key)) ")
            }
        } else {
            showFunnels(response["funnel"])
        }
        for reason in response["reasons"]?.elements ?? [] {
            Terminal.out(
                "\(OperatorCall.text(reason["event"])), reason '\(OperatorCall.text(reason["reason"]))': \(numbers(reason))"
            )
        }
    }

    private static func showCounts(_ versions: JSON?, of package: String = "") {
        for version in versions?.members ?? [] {
            for event in version.value.members ?? [] {
                Terminal.out("\(package)\(shown(version.key)) \(shown(event.key)): \(numbers(event.value))")
            }
        }
    }

    private static func showFunnels(_ versions: JSON?, of package: String = "") {
        for version in versions?.members ?? [] {
            let steps = FunnelStep.allCases.compactMap { step in
                version.value[step.rawValue].map { "\(step.rawValue) \(devices($0))" }
            }
            Terminal.out("funnel of \(package)\(shown(version.key)): " + steps.joined(separator: ", "))
        }
    }

    private static func line(_ row: JSON) -> String {
        let numbersOfRow: Set = ["start", "span", "reports", "corrected", "devices", "devicesExact", "durations"]
        let groups = (row.members ?? []).filter { !numbersOfRow.contains($0.key) }
            .map { " \($0.key)=\(OperatorCall.text($0.value))" }.joined()
        let time = OperatorCall.text(row["start"]) + (row["span"]?.string == "day" ? " (day)" : "")
        let durations = row["durations"].map { durations in
            let percentiles = ["p50", "p90", "p99"].map { "\($0) \(OperatorCall.text(durations[$0])) ms" }
            return "; " + percentiles.joined(separator: ", ")
        }
        return "\(time)\(groups): \(numbers(row))\(durations ?? "")"
    }

    private static func numbers(_ counts: JSON) -> String {
        "\(OperatorCall.text(counts["reports"])) reports from \(devices(counts)) devices"
    }

    private static func devices(_ counts: JSON) -> String {
        (counts["devicesExact"]?.bool == false ? "~" : "") + OperatorCall.text(counts["devices"])
    }

    private static func shown(_ text: String) -> String { ShownText.of(text.utf8) }
}
