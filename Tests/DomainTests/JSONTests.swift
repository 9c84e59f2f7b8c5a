import Domain
import Testing

struct JSONTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "\"\"", "[]", "{}",
        #"[1,[2,{"a":[]}],null]"#, #"{"a":{"b":"c"},"d":[true,false]}"#, #"{"":""}"#, "\"日本 😀 é\"",
    ])
    func `compact JSON comes out as it went in`(text: String) throws {
        #expect(try #require(JSON(parsing: Array(text.utf8))).text == text)
    }

    @Test func `members read come by the bytes of their keys, members written as put in`() throws {
        let read = try #require(JSON(parsing: Array(#"{"b":1,"é":2,"a":3,"Z":4}"#.utf8)))
        #expect(read.members?.map(\.key) == ["Z", "a", "b", "é"])
        #expect(JSON.object(["b": 1, "a": 2]).text == #"{"b":1,"a":2}"#)
    }

    @Test func `absent members are left out, null ones are not`() {
        #expect(JSON.object(["a": nil, "b": .null, "c": true]).text == #"{"b":null,"c":true}"#)
    }

    @Test(arguments: [
        ("\"\\\n\r\t", #""\"\\\n\r\t""#), ("\u{0}\u{8}\u{1F}\u{7F}", #""\u0000\u0008\u001f\u007f""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("</script>", "\"</script>\""), ("é😀", "\"é😀\""),
    ])
    func `control characters and line separators are escaped`(value: String, text: String) throws {
        #expect(JSON.string(value).text == text)
        #expect(JSON(parsing: Array(text.utf8)) == .string(value))
    }

    @Test func `everything beyond ASCII is escaped on request`() throws {
        let bytes = JSON.object(["é": "😀"]).bytes(escapingNonASCII: true)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"\u00e9":"\ud83d\ude00"}"#)
        #expect(JSON(parsing: bytes) == JSON.object(["é": "😀"]))
    }

    @Test func `escapes are read`() {
        #expect(JSON(parsing: Array(#""\u00E9\ud83d\uDE00\/\b\f""#.utf8)) == "é😀/\u{8}\u{C}")
    }

    @Test(arguments: [
        "", " ", "nul", "{", "[1", "{\"a\"}", "'a'", "01", "+1", ".5", "1.", "NaN", "Infinity",
        "\"a", "\"\n\"", #""\x""#, #""\ud800""#, "1 2", "{a:1}", "// c\n1", "[1]x",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(JSON(parsing: Array(text.utf8)) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSON(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
    }

    @Test func `deep nesting is refused, not crashed on`() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(JSON(parsing: nested(64)) != nil)
        #expect(JSON(parsing: nested(65)) == nil)
        #expect(JSON(parsing: nested(100_000)) == nil)
    }

    @Test(arguments: ["1.0", "-0", "18446744073709551615", "1e400", "0.10", "1E+2", "123456789012345678901234567890"])
    func `a number that is no integer of 64 bits keeps its digits`(text: String) {
        #expect(JSON(parsing: Array(text.utf8)) == .number(text))
        #expect(JSON.number(text).text == text)
    }

    @Test func `of a name that comes twice the last value counts`() {
        #expect(JSON(parsing: Array(#"{"a":1,"a":2}"#.utf8)) == .object(["a": 2]))
    }

    @Test func `a body made to be slow is read in one pass`() {
        // Values of any shape, tried one shape after the other, took the toolchain's decoder minutes here.
        let deep =
            String(repeating: "[", count: 60) + (0..<50_000).map(String.init).joined(separator: ",")
            + String(repeating: "]", count: 60)
        #expect(JSON(parsing: Array(deep.utf8)) != nil)
    }

    @Test func `a value is taken as its own type alone`() throws {
        let value = try #require(JSON(parsing: Array(#"{"s":"1","i":1,"b":true,"n":null,"d":1.5,"o":{},"a":[]}"#.utf8)))
        #expect(value["s"]?.string == "1" && value["s"]?.integer == nil && value["s"]?.bool == nil)
        #expect(value["i"]?.integer == 1 && value["i"]?.string == nil && value["i"]?.bool == nil)
        #expect(value["b"]?.bool == true && value["b"]?.integer == nil && value["b"]?.string == nil)
        #expect(value["n"] == .null && value["d"]?.integer == nil && value["missing"] == nil)
        #expect(value["o"]?.members?.isEmpty == true && value["a"]?.elements?.isEmpty == true)
        #expect(value["a"]?.members == nil && value["o"]?.elements == nil)
    }
}
