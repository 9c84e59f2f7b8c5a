import Domain
import Ground

/// A report of the findings of `larder lint`, for people and for programs.
struct LintReport {
    let errors: Int
    private let rows: [Row]

    init(_ findings: [LintFinding]) {
        rows = findings.map {
            Row(
                severity: $0.severity, code: $0.code.rawValue, path: $0.path.map { ShownText.of($0.text.utf8) },
                message: $0.message, json: $0.json)
        }
        errors = rows.count { $0.severity == .error }
    }

    /// Creates the report of a package that every server would reject, with the server's reason.
    init(refusal: PlatformError) {
        let code = refusal.reason ?? refusal.code.rawValue
        let json = JSON.object([
            "severity": .string(LintFinding.Severity.error.rawValue), "code": .string(code),
            "path": refusal.entry.map { .string($0) }, "message": .string(refusal.message),
        ])
        // The path and the message may contain text from the zip.
        rows = [
            Row(
                severity: .error, code: code, path: refusal.entry.map { ShownText.of($0.utf8) },
                message: ShownText.of(refusal.message.utf8, upTo: Self.longestMessage), json: json)
        ]
        errors = 1
    }

    /// The findings for the reports of a CI.
    var findings: [ReportedFinding] {
        rows.map {
            ReportedFinding(isError: $0.severity == .error, code: $0.code, path: $0.path, message: $0.message)
        }
    }

    /// The limit on the shown bytes of an error message.
    private static let longestMessage = 2_000

    private struct Row {
        let severity: LintFinding.Severity
        let code: String
        let path: String?
        let message: String
        let json: JSON
    }

    func show(asJSON: Bool) {
        let warnings = rows.count - errors
        guard !asJSON else {
            let json = JSON.object([
                "errors": .integer(Int64(errors)), "warnings": .integer(Int64(warnings)),
                "findings": .array(rows.map(\.json)),
            ])
            Terminal.out(json.text)
            return
        }
        for row in rows {
            let path = row.path.map { " \($0)" } ?? ""
            Terminal.out("\(row.severity.rawValue) \(row.code)\(path): \(row.message)")
        }
        Terminal.out(rows.isEmpty ? "no findings" : "errors: \(errors), warnings: \(warnings)")
    }
}
