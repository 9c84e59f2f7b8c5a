import Domain
import Ground
import Linting
import Testing

struct WaiverTests {
    private let maps: KeyValuePairs = ["a.js.map": "{}", "b.js.map": "{}", "c d.txt": ""]

    private func paths(_ result: LintResult) -> [String] {
        result.findings.map { "\($0.code.rawValue) \($0.path?.text ?? "-")" }
    }

    @Test func `a waiver for a file covers that file alone`() throws {
        let result = try LintSample(maps).result(waiving: [(.sourceMap, "a.js.map"), (.sourceMap, "gone.map")])
        #expect(paths(result) == ["name-unsafe c d.txt", "source-map b.js.map"])
        #expect(
            result.waived == [
                .init(code: .sourceMap, path: try TreePath("a.js.map"), reason: "known", count: 1)
            ])
    }

    @Test func `a waiver for every file covers its code, and one for a single file precedes it`() throws {
        let result = try LintSample(maps).result(waiving: [(.sourceMap, nil), (.sourceMap, "b.js.map")])
        #expect(paths(result) == ["name-unsafe c d.txt"])
        #expect(result.waived.map(\.count) == [1, 1])
        let whole = try LintSample(maps).result(waiving: [(.sourceMap, nil)])
        #expect(whole.waived.map(\.count) == [2])
    }

    @Test func `waived findings do not count toward the listed ones`() throws {
        var sample = LintSample(maps)
        sample.rules.findingsPerCode = 1
        let result = try sample.result(waiving: [(.sourceMap, "a.js.map")])
        #expect(paths(result) == ["name-unsafe c d.txt", "source-map b.js.map"])
        #expect(paths(try sample.result()).last == "source-map -")
    }

    @Test func `an error can be waived, too`() throws {
        var sample = LintSample([:])
        sample.entry = "home.html"
        #expect(try sample.result().findings.map(\.severity) == [.error])
        for path in [nil, "home.html"] {
            let result = try sample.result(waiving: [(.entryMissing, path)])
            #expect(result.findings.isEmpty && result.waived.map(\.code) == [.entryMissing])
        }
        #expect(try sample.result(waiving: [(.entryMissing, "index.html")]).findings.count == 1)
    }

    @Test func `findings are read from JSON as they were written, and invalid ones are refused`() throws {
        let result = try LintSample(maps).result(waiving: [(.nameUnsafe, nil), (.sourceMap, "a.js.map")])
        #expect(result.findings.map(\.json).compactMap(LintFinding.init(json:)) == result.findings)
        #expect(result.waived.map(\.json).compactMap(LintResult.Waived.init(json:)) == result.waived)
        #expect(LintFinding(json: .object(["code": "none", "message": "x"])) == nil)
        #expect(LintFinding(json: .object(["code": "secret", "message": "x", "path": "../x"])) == nil)
        #expect(LintResult.Waived(json: .object(["code": "secret", "reason": "x"])) == nil)
    }

    @Test func `findings of a version are kept up to a limit`() {
        let many = LintResult(findings: Array(repeating: LintFinding(.secret, nil, "x"), count: 201))
        #expect(many.kept.findings.count == 200)
        #expect(LintResult(findings: Array(many.findings.prefix(200))).kept.findings.count == 200)
    }
}
