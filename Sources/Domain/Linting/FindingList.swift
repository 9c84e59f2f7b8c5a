/// Findings on their way out: so many of each code, and how many more there were.
struct FindingList {
    private let limit: Int
    private var listed: [LintFinding.Code: [LintFinding]] = [:]
    private var surplus: [LintFinding.Code: Int] = [:]

    /// - Parameter limit: Findings of one code that are kept.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ code: LintFinding.Code, _ path: TreePath?, _ message: @autoclosure () -> String) {
        guard listed[code, default: []].count < limit else {
            surplus[code, default: 0] += 1
            return
        }
        listed[code, default: []].append(LintFinding(code, path, message()))
    }

    /// By code in its order; of one code as they were found, which is by path.
    var findings: [LintFinding] {
        LintFinding.Code.allCases.flatMap { code in
            var findings = listed[code] ?? []
            if let more = surplus[code] {
                findings.append(
                    LintFinding(code, nil, "There are \(more) more of these: mend the ones above and look again."))
            }
            return findings
        }
    }
}
