package import Ground

/// The findings of the linter, and the waived ones.
package struct LintResult: Sendable, Equatable {
    /// The findings that are not waived.
    package let findings: [LintFinding]
    package let waived: [Waived]

    /// The findings that one waiver covers.
    package struct Waived: Sendable, Equatable {
        package let code: LintFinding.Code
        package let path: TreePath?
        package let reason: String
        package let count: Int

        package init(code: LintFinding.Code, path: TreePath?, reason: String, count: Int) {
            self.code = code
            self.path = path
            self.reason = reason
            self.count = count
        }

        /// The waived findings as `{"code": …, "path": …, "reason": …, "findings": …}`; without a path for every path.
        package var json: JSON {
            .object([
                "code": .string(code.rawValue), "path": path.map { .string($0.text) }, "reason": .string(reason),
                "findings": .integer(Int64(count)),
            ])
        }

        /// Parses the output of ``json``; fails for anything else.
        package init?(json: JSON) {
            guard let code = json["code"]?.string.flatMap(LintFinding.Code.init(rawValue:)),
                let reason = json["reason"]?.string, let count = json["findings"]?.integer
            else { return nil }
            let path = json["path"]?.string
            self.init(code: code, path: path.flatMap { try? TreePath($0) }, reason: reason, count: Int(count))
            if path != nil, self.path == nil { return nil }
        }
    }

    /// The number of findings that are stored with a version.
    package static let mostKept = 200

    package init(findings: [LintFinding] = [], waived: [Waived] = []) {
        self.findings = findings
        self.waived = waived
    }

    /// A copy with as many findings as are stored with a version.
    package var kept: LintResult { LintResult(findings: Array(findings.prefix(Self.mostKept)), waived: waived) }
}
