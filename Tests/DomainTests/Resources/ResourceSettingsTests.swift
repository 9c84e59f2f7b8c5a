import Domain
import Ground
import Testing

struct ResourceSettingsTests {
    private func settings(_ text: String) throws -> ResourceSettings {
        try ResourceSettings(try #require(JSON(parsing: Array(text.utf8))))
    }

    private static let whole = """
        {"rules":[{"files":"css/*.css","cached":false,"type":3,"MIMEType":"text/css","matchUrl":"^https://h/a\\\\.css$",\
        "resourceID":"id_css","activeTime":"2026-01-01T00:00:00.000Z"},{"files":"**"}],\
        "timeFormat":"epoch-ms","diffFrom":"4.0.0","diffLimit":5120}
        """

    @Test func `settings are written as they are read`() throws {
        let settings = try settings(Self.whole)
        #expect(try ResourceSettings(settings.json) == settings)
        #expect(settings.rules.count == 2)
        #expect(settings.rules.first?.resourceID?.text == "id_css")
        #expect(settings.timeFormat == .epochMilliseconds)
        #expect(settings.diffLimit == 5120)
    }

    @Test func `an absent or null member has its default`() throws {
        #expect(try settings("{}") == ResourceSettings())
        #expect(
            try settings(#"{"rules":null,"timeFormat":null,"diffFrom":null,"diffLimit":null}"#) == ResourceSettings())
        #expect(ResourceSettings().diffLimit == 5000)
    }

    @Test(arguments: [
        ("[]", "'resources'"), (#"{"rule":[]}"#, "'rule'"), (#"{"rules":{}}"#, "'resources.rules'"),
        (#"{"rules":[1]}"#, "'resources.rules[0]'"), (#"{"rules":[{}]}"#, "'resources.rules[0].files'"),
        (#"{"rules":[{"files":"/a"}]}"#, "glob"), (#"{"rules":[{"files":"a"},{"files":"b","glob":1}]}"#, "'glob'"),
        (#"{"rules":[{"files":"a","cached":1}]}"#, "cached"), (#"{"rules":[{"files":"a","type":-1}]}"#, "type"),
        (#"{"rules":[{"files":"a","type":1000001}]}"#, "type"),
        (#"{"rules":[{"files":"a","MIMEType":"css"}]}"#, "MIMEType"),
        (#"{"rules":[{"files":"a","MIMEType":"a/b/c"}]}"#, "MIMEType"),
        (#"{"rules":[{"files":"a","matchUrl":"a("}]}"#, "regular expression"),
        (#"{"rules":[{"files":"a","matchUrl":1}]}"#, "matchUrl"),
        (#"{"rules":[{"files":"a","resourceID":"a/b"}]}"#, "resourceID"),
        (#"{"rules":[{"files":"a","activeTime":"soon"}]}"#, "activeTime"),
        (#"{"timeFormat":"unix"}"#, "rfc3339 or epoch-ms"), (#"{"diffFrom":"1.0-beta"}"#, "diffFrom"),
        (#"{"diffLimit":-1}"#, "diffLimit"), (#"{"diffLimit":20001}"#, "diffLimit"),
        (#"{"diffLimit":"5"}"#, "diffLimit"),
    ])
    func `an invalid setting is refused with a message that names it`(text: String, word: String) throws {
        let fault = #expect(throws: ResourceSettings.Fault.self) { try settings(text) }
        let message = try #require(fault?.message)
        #expect(message.contains(word), "\(message)")
        #expect(message.hasSuffix("."))
    }

    @Test func `200 rules are accepted, and one more is not`() throws {
        func text(_ count: Int) -> String {
            #"{"rules":["# + Array(repeating: #"{"files":"a"}"#, count: count).joined(separator: ",") + "]}"
        }
        #expect(try settings(text(200)).rules.count == ResourceSettings.maximumRules)
        #expect(throws: ResourceSettings.Fault.self) { try settings(text(201)) }
    }

    @Test func `64 KiB are accepted, and one byte more is not`() throws {
        func text(_ bytes: Int) -> String {
            func rule(_ fill: Int) -> String {
                #"{"files":"a","matchUrl":""# + String(repeating: "x", count: fill) + #""}"#
            }
            let most = Array(repeating: rule(2020), count: 31).joined(separator: ",")
            let rest = bytes - #"{"rules":[,]}"#.utf8.count - most.utf8.count - rule(0).utf8.count
            return #"{"rules":["# + most + "," + rule(rest) + "]}"
        }
        let edge = text(ResourceSettings.maximumBytes)
        #expect(edge.utf8.count == ResourceSettings.maximumBytes)
        #expect(try settings(edge).rules.count == 32)
        let longer = text(ResourceSettings.maximumBytes + 1)
        let fault = #expect(throws: ResourceSettings.Fault.self) { try settings(longer) }
        #expect(fault?.message.contains("bytes of JSON") == true)
    }

    @Test func `the patterns of all rules share one budget, which stored rules do not have`() throws {
        func rules(_ count: Int) -> String {
            let rule = #"{"files":"a","matchUrl":"^"# + String(repeating: "/[^/]*", count: 40) + #""}"#
            return #"{"rules":["# + Array(repeating: rule, count: count).joined(separator: ",") + "]}"
        }
        #expect(try settings(rules(20)).rules.count == 20)
        let fault = #expect(throws: ResourceSettings.Fault.self) { try settings(rules(200)) }
        #expect(fault?.message.contains("the patterns of all rules up to this one") == true, "\(fault?.message ?? "")")
        let stored = try #require(JSON(parsing: Array(rules(200).utf8)))
        #expect(try ResourceSettings(stored: stored).rules.count == 200)
    }

    @Test func `the first rule that matches counts`() throws {
        let settings = try settings(#"{"rules":[{"files":"a/*","type":1},{"files":"**","type":2}]}"#)
        #expect(settings.rule(of: try TreePath("a/b"))?.kind == 1)
        #expect(settings.rule(of: try TreePath("b"))?.kind == 2)
    }

    @Test func `patches start from the versions released last, or from a configured lowest one`() throws {
        let recent = [try Sample.version("1.9"), try Sample.version("1.8")]
        func patches(_ from: String?, _ version: String) throws -> Bool {
            ResourceSettings(diffFrom: try from.map { try Sample.version($0) })
                .patches(from: try Sample.version(version), recent: recent)
        }
        #expect(try patches(nil, "1.9") && patches(nil, "1.8"))
        #expect(try !patches(nil, "1.7"))
        #expect(try patches("1.7", "1.7") && patches("1.7", "1.10"))
        #expect(try !patches("1.7", "1.6.9"))
        #expect(try !patches("1.9", "1.8"))
    }
}
