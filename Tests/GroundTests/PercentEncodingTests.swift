import Ground
import Testing

struct PercentEncodingTests {
    @Test(arguments: [
        ("aZ09-._~", "aZ09-._~"), ("a b/c", "a%20b%2Fc"), ("1.0.0+5", "1.0.0%2B5"), ("é", "%C3%A9"), ("%", "%25"),
        ("", ""),
    ])
    func `all but unreserved characters are encoded, and decoded again`(plain: String, encoded: String) {
        #expect(PercentEncoding.encode(plain.utf8) == encoded)
        #expect(PercentEncoding.decode(Array(encoded.utf8)[...]) == Array(plain.utf8))
    }

    @Test func `digits are read in both cases, and bytes that are not encoded stand for themselves`() {
        #expect(PercentEncoding.decode(Array("%c3%A9+ é".utf8)[...]) == Array("é+ é".utf8))
    }

    @Test(arguments: ["%", "%2", "%2g", "a%", "%%20", "% 20"])
    func `an escape without two digits is refused`(text: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...]) == nil)
    }
}
