import HTTP
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `a date is written and read back`(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSinceEpoch: seconds).description == text)
        #expect(HTTPDate(text.utf8)?.secondsSinceEpoch == seconds)
    }

    /// A recipient accepts all three forms (RFC 9110 §5.6.7).
    @Test(arguments: [
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Wednesday, 31-Dec-69 23:59:59 GMT", nil), ("Tuesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
        ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Tue Nov 16 08:49:37 1999", 942_742_177),
    ])
    func `the obsolete forms are read`(text: String, seconds: Int?) {
        #expect(HTTPDate(text.utf8)?.secondsSinceEpoch == seconds)
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37 UTC", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Monday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
        "Sun Nov  6 08:49:37 94", "Sunday Nov  6 08:49:37 1994", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
    ])
    func `any other text is not a date`(text: String) {
        #expect(HTTPDate(text.utf8) == nil)
    }
}
