import Ground
import Testing

struct JSONTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "\"\"", "[]", "{}",
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
        "", " ", "nul", "{", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":1,}", "{,}", "{\"a\":}", "'a'", "01", "+1", ".5",
        "1.", "NaN", "Infinity",
        "\"a", "\"\n\"", #""\x""#, #""\ud800""#, #""\udc00\ud800""#, #""\ud800\u0041""#, #""\u12g4""#, #""\u123""#, "-",
        "1e", "1e+", "- 1", "0x1", "00", "1 2", "{a:1}", "// c\n1", "[1]x",
    ])
    func `text that is not JSON is refused`(text: String) {
        #expect(JSON(parsing: Array(text.utf8)) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSON(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
    }

    @Test func `arrays and objects may be 64 deep`() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            #expect(JSON(parsing: nested(64, open, close)) != nil)
            #expect(JSON(parsing: nested(65, open, close)) == nil)
            #expect(JSON(parsing: nested(1_000_000, open, close)) == nil)
        }
        // Beside each other they may be as many as they like.
        let row = "[" + Array(repeating: "[[]]", count: 1000).joined(separator: ",") + "]"
        #expect(JSON(parsing: Array(row.utf8)) != nil)
    }

    @Test(arguments: [
        "-0", "1e400", "12345678901234567890", "-9223372036854775809", "0.10", "1E+2", "1.0", "5e-324", "0e0",
        "3.14159265358979323846264338327950288",
    ])
    func `a number keeps its digits`(text: String) throws {
        let value = try #require(JSON(parsing: Array(text.utf8)))
        #expect(value == .number(text) && value.text == text && value.integer == nil)
    }

    @Test func `the last of two equal names counts, and names are distinguished by their bytes`() throws {
        let twice = try #require(JSON(parsing: Array(#"{"a":1,"b":2,"a":3,"a":4}"#.utf8)))
        #expect(twice.text == #"{"a":4,"b":2}"#)
        let both = "{\"caf\u{E9}\":1,\"cafe\u{301}\":2}"
        let members = try #require(JSON(parsing: Array(both.utf8))?.members)
        #expect(members.map(\.value) == [2, 1])
    }

    @Test(arguments: [" 1 ", "\n[ 1 ,\t2 ]\r\n", #" { "a" : 1 , "b" : [ ] } "#])
    func `white space is passed over`(text: String) {
        #expect(JSON(parsing: Array(text.utf8)) != nil)
        #expect(JSON(parsing: Array(text.utf8) + [0x0B]) == nil)
    }

    @Test func `a value is read only as its own type`() throws {
        let value = try #require(JSON(parsing: Array(#"{"s":"1","i":1,"b":true,"n":null,"d":1.5,"o":{},"a":[]}"#.utf8)))
        #expect(value["s"]?.string == "1" && value["s"]?.integer == nil && value["s"]?.bool == nil)
        #expect(value["i"]?.integer == 1 && value["i"]?.string == nil && value["i"]?.bool == nil)
        #expect(value["b"]?.bool == true && value["b"]?.integer == nil && value["b"]?.string == nil)
        #expect(value["n"] == .null && value["d"]?.integer == nil && value["missing"] == nil)
        #expect(value["o"]?.members?.isEmpty == true && value["a"]?.elements?.isEmpty == true)
        #expect(value["a"]?.members == nil && value["o"]?.elements == nil)
    }
}
