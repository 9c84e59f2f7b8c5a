import HTTP
import Testing

struct TagConditionTests {
    private func read(_ fields: String) throws -> TagCondition? {
        let lines = fields.isEmpty ? "" : fields + "\r\n"
        return TagCondition(try RequestHead(parsing: "PUT / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n"))
    }

    @Test func `If-Match is one star, or a list of tags of which weak ones never match`() throws {
        #expect(try read("") == nil)
        #expect(try read("If-Match: *") == .any)
        #expect(try read("If-Match: \"3\"") == .tags(["3"]))
        #expect(try read("If-Match: \"\"") == .tags([""]))
        #expect(try read("If-Match: \"a\" ,\t\"b,c\"") == .tags(["a", "b,c"]))
        #expect(try read("If-Match: ,, \"a\",") == .tags(["a"]))
        #expect(try read("If-Match: W/\"a\"") == .tags([]))
        #expect(try read("If-Match: \"a\"\r\nIf-Match: \"b\"") == .tags(["a", "b"]))
    }

    @Test(arguments: [
        "3", "\"3", "\"a\"\"b\"", "\"a b\"", "*, \"a\"", "", ",", "w/\"a\"", "*\r\nIf-Match: *",
    ])
    func `another value of If-Match is malformed`(value: String) throws {
        #expect(try read("If-Match: \(value)") == .malformed)
    }
}
