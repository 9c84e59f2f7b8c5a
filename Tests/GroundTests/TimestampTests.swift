import Ground
import Testing

struct TimestampTests {
    // Milliseconds by Python's datetime.
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (94_694_399_000, "1972-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_210_096_000, "2024-02-29T12:34:56Z"), (1_767_225_600_000, "2026-01-01T00:00:00Z"),
            (1_767_225_600_007, "2026-01-01T00:00:00.007Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `a time is written by RFC 3339 in UTC and read again`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        arguments: [
            ("2026-07-01T05:30:00+05:30", 1_782_864_000_000), ("2026-06-30T16:00:00-08:00", 1_782_864_000_000),
            ("2026-07-01t00:00:00z", 1_782_864_000_000), ("2026-07-01 00:00:00Z", 1_782_864_000_000),
            ("2026-07-01T00:00:00-00:00", 1_782_864_000_000), ("2026-07-01T23:59:00+23:59", 1_782_864_000_000),
            ("2026-07-01T00:00:00.5Z", 1_782_864_000_500), ("2026-07-01T00:00:00.0479999Z", 1_782_864_000_047),
            ("2026-06-30T23:59:60Z", 1_782_864_000_000), ("1970-01-01T05:30:00+05:30", 0),
        ] as [(String, Int64)])
    func `offsets, fractions and leap seconds are read`(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-07-01", "2026-07-01T00:00Z", "2026-07-01T00:00:00", "2026-07-01T00:00:00 Z",
        "2026-7-1T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-07-01T24:00:00Z",
        "2026-07-01T00:60:00Z", "2026-07-01T00:00:61Z", "2026-07-01T00:00:00.Z", "2026-07-01T00:00:00,5Z",
        "2026-07-01T00:00:00+0530", "2026-07-01T00:00:00+24:00", "2026-07-01T00:00:00+05:60",
        "2026-07-01T00:00:00Zx", " 2026-07-01T00:00:00Z", "+2026-07-01T00:00:00Z", "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01", "20260-07-01T00:00:00Z", "2026/07/01T00:00:00Z", "２026-07-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01",
    ])
    func `anything else is refused`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func `every day of four centuries is written as the next one`() {
        var text = "1970-01-01"
        var seen = 0
        for day in Int64(0)..<146_097 {
            let written = Timestamp(milliseconds: day * 86_400_000).rfc3339
            if day > 0, written.prefix(10) <= text { Issue.record("\(written) after \(text)") }
            if Timestamp(rfc3339: written)?.milliseconds == day * 86_400_000 { seen += 1 }
            text = String(written.prefix(10))
        }
        #expect(seen == 146_097)
        #expect(text == "2369-12-31")
    }

    @Test func `times before 1970 are written too`() {
        #expect(Timestamp(milliseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
    }
}
