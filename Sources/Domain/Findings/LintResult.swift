package import Ground

/// What a linter found, and what of it somebody has said to be fine.
package struct LintResult: Sendable, Equatable {
    /// Without those that are waived.
    package let findings: [LintFinding]
    package let waived: [Waived]

    /// Findings that one waiver covers.
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

        /// `{"code": …, "path": …, "reason": …, "findings": …}`, without a path where it is for every path.
        package var json: JSON {
            .object([
                "code": .string(code.rawValue), "path": path.map { .string($0.text) }, "reason": .string(reason),
                "findings": .integer(Int64(count)),
            ])
        }

        /// Fails for what ``json`` never gives.
        package init?(json: JSON) {
            guard let code = json["code"]?.string.flatMap(LintFinding.Code.init(rawValue:)),
                let reason = json["reason"]?.string, let count = json["findings"]?.integer
            else { return nil }
            let path = json["path"]?.string
            self.init(code: code, path: path.flatMap { try? TreePath($0) }, reason: reason, count: Int(count))
            if path != nil, self.path == nil { return nil }
        }
    }

    /// Findings that are kept with a version.
    package static let mostKept = 200

    package init(findings: [LintFinding] = [], waived: [Waived] = []) {
        self.findings = findings
        self.waived = waived
    }

    /// With as many findings as are kept with a version.
    package var kept: LintResult { LintResult(findings: Array(findings.prefix(Self.mostKept)), waived: waived) }
}
