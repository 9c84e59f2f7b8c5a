import Domain

/// A collector of findings that lists a bounded number of each code and counts the rest and the waived ones.
struct FindingList {
    private let limit: Int
    private let waivers: [LintWaiver]
    private var listed: [LintFinding.Code: [LintFinding]] = [:]
    private var surplus: [LintFinding.Code: Int] = [:]
    /// The number of findings that each waiver covers, by the waiver's index.
    private var waived: [Int]
    private let indices: [LintFinding.Code: [TreePath?: Int]]

    /// - Parameters:
    ///   - limit: The number of findings of one code to list.
    ///   - waivers: The waivers, whose findings are only counted; one for a path precedes one for every path.
    init(limit: Int, waivers: [LintWaiver] = []) {
        self.limit = limit
        self.waivers = waivers
        waived = Array(repeating: 0, count: waivers.count)
        var indices: [LintFinding.Code: [TreePath?: Int]] = [:]
        for (index, waiver) in waivers.enumerated() { indices[waiver.code, default: [:]][waiver.path] = index }
        self.indices = indices
    }

    mutating func add(_ code: LintFinding.Code, _ path: TreePath?, _ message: @autoclosure () -> String) {
        if let indices = indices[code], let index = indices[path] ?? indices[TreePath?.none] {
            waived[index] += 1
            return
        }
        guard listed[code, default: []].count < limit else {
            surplus[code, default: 0] += 1
            return
        }
        listed[code, default: []].append(LintFinding(code, path, message()))
    }

    /// The findings by code; findings of one code in the order of discovery, which is by path.
    var result: LintResult {
        let findings = LintFinding.Code.allCases.flatMap { code in
            var findings = listed[code] ?? []
            if let more = surplus[code] {
                findings.append(
                    LintFinding(
                        code, nil, "There are \(more) more of these findings. Correct the ones above and check again."))
            }
            return findings
        }
        let waived = zip(waivers, waived).filter { $0.1 > 0 }.map { waiver, count in
            LintResult.Waived(code: waiver.code, path: waiver.path, reason: waiver.reason, count: count)
        }
        return LintResult(findings: findings, waived: waived)
    }
}
