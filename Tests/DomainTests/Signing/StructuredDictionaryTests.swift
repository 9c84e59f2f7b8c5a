@testable import Domain
import Testing

/// Tests structured dictionaries (RFC 8941).
struct StructuredDictionaryTests {
    private typealias Value = StructuredDictionary.Value

    @Test(
        arguments: [
            ("a=1", .integer(1)), ("a=-0", .integer(0)), ("a=999999999999999", .integer(999_999_999_999_999)),
            ("a=-1.250", .decimal("-1.250")), ("a=?1", .boolean(true)), ("a=?0", .boolean(false)),
            ("a", .boolean(true)),
            (#"a="x\"\\y""#, .string(#"x"\y"#)), ("a=*b/c:d", .token("*b/c:d")), ("a=Foo", .token("Foo")),
            ("a=:AQI=:", .bytes([1, 2])), ("a=::", .bytes([])), ("a=()", .list([])), ("  a=( )  ", .list([])),
            ("a=1, a=2", .integer(2)), ("*-._a9=1", nil), ("b=1,\t a=2", .integer(2)),
        ] as [(String, StructuredDictionary.Value?)])
    func `a valid dictionary is read`(text: String, value: StructuredDictionary.Value?) throws {
        #expect(try #require(StructuredDictionary(text))["a"]?.value == value)
    }

    @Test(arguments: [
        "A=1", "=1", "a=", "a=1,", ",a=1", "a=1 b=2", "a=1;", "a=1;B", "a=(1", "a=(1 2))", "a=(1,2)", "a=\"x",
        "a=\"\\n\"",
        "a=\"\u{7f}\"", "a=\"é\"", "a=:AQI:", "a=:AQI=", "a=?2", "a=1000000000000000", "a=1.", "a=1.2345",
        "a=1234567890123.1",
        "a=--1", "a= 1", "a=@1", "1a=1", "a=((1))", "a=1 ;b",
    ])
    func `an invalid dictionary is refused`(text: String) {
        #expect(StructuredDictionary(text) == nil)
    }

    @Test func `parameters are those of their item, and a member's text is all of it`() throws {
        let read = try #require(StructuredDictionary(#"s=("a";req "b");x=1; y;z="q", t;x=?0,u=2"#))
        #expect(read.members.map(\.key) == ["s", "t", "u"])
        #expect(read.members.map(\.text) == [#"("a";req "b");x=1; y;z="q""#, "", "2"])
        #expect(
            read["s"]?.value
                == .list([
                    .init(value: .string("a"), parameters: ["req": .boolean(true)]),
                    .init(value: .string("b"), parameters: [:]),
                ]))
        #expect(read["s"]?.parameters == ["x": .integer(1), "y": .boolean(true), "z": .string("q")])
        #expect(read["t"] == .init(value: .boolean(true), parameters: ["x": .boolean(false)]))
        #expect(StructuredDictionary("")?.members.isEmpty == true)
    }
}
