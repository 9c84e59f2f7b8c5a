import Client
import Domain
import Ground

/// The course of a run of `larder simulate`, the statistics that the server must have, and those that it has.
struct FleetReport {
    let outcome: FleetRun.Outcome
    /// The numbers of the truth beside those of the server; `nil` if they were not compared.
    var findings: [FleetQuery: [FleetFinding]]?

    init(_ outcome: FleetRun.Outcome) { self.outcome = outcome }

    /// Whether the server has no wrong number.
    var isRight: Bool { wrong.isEmpty }

    private var wrong: [FleetFinding] {
        FleetQuery.allCases.flatMap { (findings?[$0] ?? []).filter { !$0.isRight } }
    }

    // MARK: Lines

    var text: String { (lines + ending).joined(separator: "\n") }

    private var lines: [String] {
        FleetQuery.allCases.flatMap { query in
            let truth = outcome.truth.rows(of: query)
            // Without a server the numbers stand alone.
            let findings = findings?[query] ?? FleetFinding.compare(truth, with: truth)
            let rows = Dictionary(grouping: findings, by: \.row).sorted { $0.key < $1.key }
            return ["\(query.rawValue):"]
                + rows.map { row, findings in
                    "  \(ShownText.of(row.utf8)): \(findings.map(number).joined(separator: ", "))"
                }
        }
    }

    private func number(_ finding: FleetFinding) -> String {
        let truth = "\(finding.column.rawValue) \(finding.truth)"
        guard findings != nil else { return truth }
        return "\(truth) (server: \(finding.server)\(finding.isRight ? "" : ", WRONG"))"
    }

    private var ending: [String] {
        let seconds = outcome.elapsed / .seconds(1)
        let rate = Int(Double(outcome.sent) / max(seconds, 0.001))
        let latencies = [50, 99].map { "p\($0) \(Double(outcome.latency.percentile($0) ?? 0) / 1000) ms" }
        let course = """
            \(outcome.truth.reports) reports, sent as \(outcome.sent) in \(outcome.requests) requests within \
            \((seconds * 10).rounded() / 10) s: \(rate) a second, \(latencies.joined(separator: ", ")), \
            \(outcome.failedAttempts) failed attempts
            """
        guard let findings else { return [course] }
        let count = findings.values.reduce(0) { $0 + $1.count }
        return [
            course, wrong.isEmpty ? "all \(count) numbers are right" : "\(wrong.count) of \(count) numbers are wrong",
        ]
    }

    // MARK: JSON

    var json: JSON {
        func number(_ value: Int) -> JSON { .integer(Int64(value)) }
        func numbers(_ columns: [FleetTruth.Column: Int]) -> JSON {
            .object(
                FleetTruth.Column.allCases.compactMap { column in
                    columns[column].map { JSON.Member(column.rawValue, number($0)) }
                })
        }
        let statistics = FleetQuery.allCases.map { query in
            let rows = outcome.truth.rows(of: query).sorted { $0.key < $1.key }
            return JSON.Member(query.rawValue, .object(rows.map { JSON.Member($0.key, numbers($0.value)) }))
        }
        let wrong = wrong.map { finding -> JSON in
            .object([
                "row": .string(finding.row), "column": .string(finding.column.rawValue),
                "truth": number(finding.truth), "server": number(finding.server),
            ])
        }
        return .object([
            "reports": number(outcome.truth.reports), "sent": number(outcome.sent),
            "requests": number(outcome.requests), "failedAttempts": number(outcome.failedAttempts),
            "milliseconds": number(Int(outcome.elapsed / .milliseconds(1))),
            "latencyMicroseconds": .object(
                [50, 90, 99].map { JSON.Member("p\($0)", number(outcome.latency.percentile($0) ?? 0)) }),
            "statistics": .object(statistics),
            "checked": findings.map { number($0.values.reduce(0) { $0 + $1.count }) },
            "wrong": findings.map { _ in JSON.array(wrong) },
        ])
    }
}
