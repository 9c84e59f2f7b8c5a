import Domain
import Ground
import Testing

struct ReportFactsTests {
    private func facts(_ text: String) throws -> ReportFacts {
        ReportFacts(try #require(JSON(parsing: Array(text.utf8))?.members))
    }

    @Test func `facts are read from the further members`() throws {
        var expected = ReportFacts()
        (expected.release, expected.reason, expected.duration, expected.bytes) = (7, "disk full", 13, 900)
        (expected.network, expected.platform) = ("wifi", "android")
        (expected.osVersion, expected.appVersion) = ("15", "8.3.0")
        let text = """
            {"release":7,"reason":" disk\\u0000 full\\n","duration":12.6,"bytes":900,"network":"wifi","platform":"android",
            "osVersion":"15","appVersion":"8.3.0","more":[1]}
            """
        #expect(try facts(text) == expected)
    }

    @Test(
        arguments: [
            #"{"release":0,"duration":-1,"bytes":-1,"reason":"","platform":" "}"#,
            #"{"release":"7","duration":"9","bytes":1.5,"reason":7,"platform":null,"appVersion":{},"network":[]}"#,
            #"{"release":7.5,"duration":-0.5,"osVersion":"\u0007"}"#, "{}",
        ])
    func `members of another type or without content count as absent`(text: String) throws {
        #expect(try facts(text) == ReportFacts())
    }

    @Test func `a text has 64 bytes, and is cut at a character`() throws {
        func reason(_ text: String) throws -> String? { try facts(#"{"reason":"\#(text)"}"#).reason }
        let longest = String(repeating: "x", count: 64)
        #expect(try reason(longest) == longest)
        #expect(try reason(longest + "y") == longest)
        #expect(try reason(String(repeating: "图", count: 30)) == String(repeating: "图", count: 21))
        #expect(try reason("e\u{301}") == "\u{e9}")
        #expect(try reason(#"e\u0000\u0301"#)?.utf8.count == 2)
        #expect(try reason("e\u{301}")?.utf8.count == 2)
    }

    @Test func `a duration beyond a day counts as a day`() throws {
        #expect(try facts(#"{"duration":86400000}"#).duration == 86_400_000)
        #expect(try facts(#"{"duration":1e300}"#).duration == 86_400_000)
        #expect(try facts(#"{"duration":9223372036854775807}"#).duration == 86_400_000)
    }

    @Test(
        arguments: [
            (0, false), (3_600_000, false), (3_600_001, true), (-2_592_000_000, false), (-2_592_000_001, true),
            (Int64.max - 1_000_000_000_000, true), (-1_000_000_000_000, true),
        ] as [(Int64, Bool)])
    func `a clock up to an hour ahead and thirty days behind counts`(offset: Int64, isCorrected: Bool) {
        let receipt = Timestamp(milliseconds: 1_000_000_000_000)
        let device = receipt.adding(milliseconds: offset)
        let moment = ReportMoment(device: device, receipt: receipt)
        #expect(moment.isCorrected == isCorrected)
        #expect(moment.time == (isCorrected ? receipt : device))
    }
}
