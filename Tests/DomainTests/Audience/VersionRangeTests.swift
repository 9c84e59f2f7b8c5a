import Domain
import Testing

/// A range with versions inside and outside of it; most as documented by node's semver.
struct RangeSample: Sendable, CustomTestStringConvertible {
    let range: String
    let holds: [String]
    let misses: [String]

    init(_ range: String, _ holds: [String], not misses: [String]) {
        self.range = range
        self.holds = holds
        self.misses = misses
    }

    var testDescription: String { range }

    static let all = [
        RangeSample("1.2.3", ["1.2.3", "1.2.3.0", "1.2.3+b"], not: ["1.2.2", "1.2.4", "1.2.3-a", "1.2.3.1"]),
        RangeSample("=1.2.3", ["1.2.3"], not: ["1.2.4"]),
        RangeSample(">1.2.3", ["1.2.3.1", "1.2.4", "2"], not: ["1.2.3", "1.2.3-a"]),
        RangeSample(">=1.2.3", ["1.2.3", "1.2.4-a"], not: ["1.2.3-a", "1.2.2"]),
        RangeSample("<1.2.3", ["1.2.2.9", "0"], not: ["1.2.3", "1.2.3-a"]),
        RangeSample("<=1.2.3", ["1.2.3", "1.2.3-a"], not: ["1.2.3.1", "1.2.4-a"]),
        // A partial version stands for all that begin with it.
        RangeSample("1.2", ["1.2", "1.2.9.9"], not: ["1.1.9", "1.3", "1.3-a", "1.2-a"]),
        RangeSample("1", ["1", "1.9"], not: ["0.9", "2", "2-a"]),
        RangeSample(">1.2", ["1.3"], not: ["1.2", "1.2.9", "1.3-a"]),
        RangeSample(">=1.2", ["1.2", "1.3"], not: ["1.1.9", "1.2-a"]),
        RangeSample("<1.2", ["1.1.9"], not: ["1.2", "1.2-a"]),
        RangeSample("<=1.2", ["1.2.9", "1.2"], not: ["1.3", "1.3-a"]),
        // x-ranges.
        RangeSample("*", ["0", "1.2.3", "1-a"], not: []),
        RangeSample("x", ["0"], not: []), RangeSample("X.x.*", ["7.1"], not: []),
        RangeSample("1.x", ["1", "1.9"], not: ["0.9", "2"]),
        RangeSample("1.2.x", ["1.2", "1.2.9"], not: ["1.1", "1.3"]),
        RangeSample("1.2.3.*", ["1.2.3", "1.2.3.9"], not: ["1.2.2.9", "1.2.4"]),
        RangeSample(">=*", ["0"], not: []), RangeSample("<=*", ["0"], not: []), RangeSample("^*", ["3"], not: []),
        RangeSample(">*", [], not: ["0", "9", "0-0"]), RangeSample("<*", [], not: ["0", "0-0"]),
        // Tilde.
        RangeSample("~1.2.3", ["1.2.3", "1.2.9"], not: ["1.2.2", "1.3", "1.3-a"]),
        RangeSample("~1.2", ["1.2", "1.2.9"], not: ["1.1", "1.3"]),
        RangeSample("~1", ["1", "1.9"], not: ["0.9", "2"]),
        RangeSample("~0.2.3", ["0.2.3", "0.2.9"], not: ["0.2.2", "0.3"]),
        RangeSample("~1.2.3-b.2", ["1.2.3-b.2", "1.2.3", "1.2.9"], not: ["1.2.3-b.1", "1.3"]),
        RangeSample("~1.2.3.4", ["1.2.3.4", "1.2.9"], not: ["1.2.3.3", "1.3"]),
        // Caret.
        RangeSample("^1.2.3", ["1.2.3", "1.9"], not: ["1.2.2", "2", "2-a"]),
        RangeSample("^0.2.3", ["0.2.3", "0.2.9"], not: ["0.2.2", "0.3"]),
        RangeSample("^0.0.3", ["0.0.3", "0.0.3.9"], not: ["0.0.2", "0.0.4"]),
        RangeSample("^1.2.3-b.2", ["1.2.3-b.2", "1.2.3"], not: ["1.2.3-b.1", "2"]),
        RangeSample("^1.2.x", ["1.2", "1.9"], not: ["1.1", "2"]),
        RangeSample("^0.0.x", ["0", "0.0.9"], not: ["0.1"]), RangeSample("^0.0", ["0.0.9"], not: ["0.1"]),
        RangeSample("^1.x", ["1.9"], not: ["2", "0.9"]), RangeSample("^0.x", ["0.9"], not: ["1"]),
        RangeSample("^0", ["0.9"], not: ["1"]), RangeSample("^9", ["9.9"], not: ["10", "8"]),
        RangeSample("^99", ["99.1"], not: ["100"]), RangeSample("^199", ["199.1"], not: ["200"]),
        // Hyphens.
        RangeSample("1.2.3 - 2.3.4", ["1.2.3", "2.3.4"], not: ["1.2.2", "2.3.5"]),
        RangeSample("1.2 - 2.3.4", ["1.2", "2.3.4"], not: ["1.1", "2.3.5"]),
        RangeSample("1.2.3 - 2.3", ["2.3.9"], not: ["2.4"]),
        RangeSample("1.2.3 - 2", ["2.9"], not: ["3", "1.2.2"]),
        // Conditions side by side must all hold; of those separated by bars, one.
        RangeSample(">=1.2 <2 ", ["1.2", "1.9"], not: ["1.1", "2", "2-a"]),
        RangeSample(">= 1.2  < 2", ["1.2"], not: ["2"]),
        RangeSample("1.2.7 || >=1.2.9 <2.0.0", ["1.2.7", "1.2.9", "1.4.6"], not: ["1.2.8", "2.0.0"]),
        RangeSample("1||2||3", ["1.5", "2.5", "3.5"], not: ["0", "4"]),
        RangeSample(">2 <1", [], not: ["0", "1", "2", "3"]),
        // Pre-releases.
        RangeSample("<2-b", ["2-a", "1.9"], not: ["2-b", "2"]),
        RangeSample(">2-a", ["2-b", "2"], not: ["2-a", "1.9"]),
        RangeSample(">=1.2.3.4.5", ["1.2.3.4.5", "1.2.3.4.10"], not: ["1.2.3.4.4"]),
    ]
}

struct VersionRangeTests {
    @Test(arguments: RangeSample.all)
    func `a range contains exactly the versions that it states`(sample: RangeSample) throws {
        let range = try #require(VersionRange(sample.range))
        #expect(range.text == sample.range && range.description == sample.range)
        for text in sample.holds { #expect(range.contains(try #require(OrderedVersion(text))), "\(text)") }
        for text in sample.misses { #expect(!range.contains(try #require(OrderedVersion(text))), "\(text)") }
    }

    @Test(arguments: [
        "", " ", "a", ">", ">=", "1 >", "> >1", ">=>1", "==1", "=>1", "^~1", "~>1", "!1", "1.2.", "1..2", ".1", "1.x.3",
        "x.1",
        "1 - ", " - 1", "1 -", "1 - 2 - 3", "1 - 2 3", "1 -2", "-1", "1|2", "1 | 2", "1|", "|1", "1||", "||1", "1||||2",
        "1|||2",
        "|", "||", "1,2", "(1)", "v1", "1\t2", "1-a.x", "latest", "1.0-",
    ])
    func `any other text is not a range`(text: String) {
        #expect(VersionRange(text) == nil)
    }

    @Test func `256 bytes are read, and no more`() {
        let longest = "1" + String(repeating: " ", count: VersionRange.maximumLength - 1)
        #expect(VersionRange(longest) != nil)
        #expect(VersionRange(longest + " ") == nil)
    }

    @Test func `from and through include both ends, and a short end all that begin with it`() throws {
        func holds(_ version: String, from low: String?, through high: String?) throws -> Bool {
            try #require(VersionRange(from: low, through: high)).contains(try #require(OrderedVersion(version)))
        }
        #expect(try holds("8.3", from: "8.3", through: "9") && holds("9.9", from: "8.3", through: "9"))
        #expect(try !holds("8.2", from: "8.3", through: "9") && !holds("10", from: "8.3", through: "9"))
        #expect(try holds("99", from: "8.3", through: nil) && holds("0", from: nil, through: "9.1.2"))
        #expect(try !holds("9.1.2.1", from: nil, through: "9.1.2") && holds("0", from: nil, through: nil))
    }
}
