import Artifacts
import Client
import Domain
import Ground

/// A finding of the linter, as the reports of a CI show it.
struct ReportedFinding: Sendable {
    let isError: Bool
    let code: String
    /// The path in the package.
    let path: String?
    let message: String

    init(isError: Bool, code: String, path: String?, message: String) {
        self.isError = isError
        self.code = code
        self.path = path
        self.message = message
    }

    /// Creates a finding from a response of the server.
    init(warning: JSON) {
        self.init(
            isError: false, code: warning["code"]?.string ?? "", path: warning["path"]?.string,
            message: warning["message"]?.string ?? "")
    }
}

/// The reports of `larder publish` and `larder lint` for a CI.
struct ReportOptions: Sendable {
    /// Whether findings are annotations of GitHub Actions.
    let annotates: Bool
    /// The path of a report for GitLab.
    let codeQuality: String?
    /// The path of a text in Markdown, to which a summary is appended.
    let summary: String?
    /// Whether warnings end the command with ``ExitCode/warnings``.
    let hasExitCode: Bool

    func exitCode(_ findings: [ReportedFinding]) -> ExitCode {
        hasExitCode && !findings.isEmpty ? .warnings : .success
    }

    /// Writes the reports that were asked for.
    ///
    /// - Parameters:
    ///   - folder: The folder of the package in the repository; `nil` for a zip.
    ///   - title: The outcome, as the title of the summary.
    ///   - facts: The rows of the summary.
    func write(
        _ findings: [ReportedFinding], in folder: String?, title: String, facts: [(String, String)]
    ) throws(CommandError) {
        if annotates { for finding in findings { Terminal.error(Self.annotation(finding, in: folder)) } }
        do throws(FileFailure) {
            if let codeQuality {
                let json = JSON.array(findings.map { Self.issue($0, in: folder) })
                try LocalFile.replace(codeQuality, with: json.bytes() + [0x0A])
            }
            if let summary {
                try LocalFile.append(Array(Self.markdown(findings, title: title, facts: facts).utf8), to: summary)
            }
        } catch {
            throw .failure(error.description)
        }
    }

    private static func file(_ finding: ReportedFinding, in folder: String?) -> String {
        let base = folder.map { $0 == "." ? "" : "\($0)/" } ?? ""
        return finding.path.map { base + $0 } ?? (folder ?? ".")
    }

    // MARK: GitHub

    private static func annotation(_ finding: ReportedFinding, in folder: String?) -> String {
        func property(_ text: String) -> String {
            data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
        }
        return "::\(finding.isError ? "error" : "warning") file=\(property(file(finding, in: folder))),"
            + "title=\(property(finding.code))::\(data(finding.message))"
    }

    /// Returns a text as the runner reads it: its own signs and ends of lines are escaped.
    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func markdown(
        _ findings: [ReportedFinding], title: String, facts: [(String, String)]
    ) -> String {
        func cell(_ text: String) -> String {
            ShownText.of(text.utf8, upTo: 2_000).replacing("|", with: "\\|").replacing("`", with: "'")
        }
        var lines = ["### \(cell(title))", "", "| | |", "|---|---|"]
        lines += facts.map { "| \(cell($0.0)) | \(cell($0.1)) |" }
        if !findings.isEmpty {
            lines += ["", "| finding | file | message |", "|---|---|---|"]
            lines += findings.map { finding in
                "| `\(cell(finding.code))` | \(finding.path.map { "`\(cell($0))`" } ?? "") | \(cell(finding.message)) |"
            }
        }
        return lines.joined(separator: "\n") + "\n\n"
    }

    // MARK: GitLab

    private static func issue(_ finding: ReportedFinding, in folder: String?) -> JSON {
        let path = file(finding, in: folder)
        let identity = Array("\(finding.code)\n\(path)\n\(finding.message)".utf8)
        return .object([
            "description": .string(finding.message), "check_name": .string(finding.code),
            "fingerprint": .string(OpenSSLCryptography().sha256(identity).hex),
            "severity": finding.isError ? "major" : "minor",
            "location": .object(["path": .string(path), "lines": .object(["begin": 1])]),
        ])
    }
}

extension Parameter where Value == ReportOptions {
    static var reports: Parameter<ReportOptions> {
        Parameter<(String?, String?, String?, Bool)>(
            .option(
                "--annotate", "github", "write the findings as annotations of GitHub Actions to standard error"),
            .option("--code-quality", "FILE", "write the findings as a code quality report of GitLab"),
            .option(
                "--summary", "FILE", "append a summary in Markdown to a file", or: "GITHUB_STEP_SUMMARY"),
            .flag("--warnings-exit", "end with 3 instead of 0 if there are warnings")
        ).map { annotations, codeQuality, summary, hasExitCode throws(CommandError) in
            guard annotations == nil || annotations == "github" else { throw .usage("--annotate must be github") }
            let variable = Environment.all["GITHUB_STEP_SUMMARY"].flatMap { $0.isEmpty ? nil : $0 }
            return ReportOptions(
                annotates: annotations != nil, codeQuality: codeQuality, summary: summary ?? variable,
                hasExitCode: hasExitCode)
        }
    }
}
