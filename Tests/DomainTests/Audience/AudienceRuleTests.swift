import Domain
import Ground
import Testing

struct AudienceRuleTests {
    private func read(_ text: String) throws(PlatformError) -> AudienceRule {
        try AudienceRule(JSON(parsing: Array(text.utf8)) ?? .null)
    }

    @Test(arguments: [
        (#"{"fact":"region","in":["CN","HK"]}"#, "region in CN, HK"),
        (#"{"fact":"platform","notIn":["ios"]}"#, "platform not in ios"),
        (#"{"fact":"model","prefix":["iPhone","iPad"]}"#, "model begins with iPhone, iPad"),
        (#"{"fact":"appVersion","range":">=8.3 <9"}"#, "appVersion >=8.3 <9"),
        (#"{"fact":"osVersion","range":"17"}"#, "osVersion 17"),
        (#"{"fact":"attr.a_B-9","range":"1 || 3"}"#, "attr.a_B-9 1 || 3"),
        (#"{"fact":"network","in":["wifi"]}"#, "network in wifi"),
    ])
    func `a rule is read, written back unchanged, and described in words`(text: String, words: String) throws {
        let rule = try read(text)
        #expect(rule.description == words)
        #expect(try AudienceRule(rule.json) == rule)
        #expect(rule.json == JSON(parsing: Array(text.utf8)))
    }

    @Test(arguments: [
        ("[]", "must have the member 'fact' and one of"),
        (#"{"fact":"region"}"#, "must have the member 'fact' and one of"),
        (#"{"in":["CN"],"x":1}"#, "must have the member 'fact' and one of"),
        (#"{"fact":1,"in":["CN"]}"#, "must have the member 'fact' and one of"),
        (#"{"fact":"region","in":["CN"],"notIn":["US"]}"#, "must have the member 'fact' and one of"),
        (#"{"fact":"colour","in":["red"]}"#, "must have as 'fact' 'appVersion'"),
        (#"{"fact":"attr.","in":["red"]}"#, "must have as 'fact'"),
        (#"{"fact":"attr.a b","in":["x"]}"#, "must have as 'fact'"),
        (#"{"fact":"Region","in":["CN"]}"#, "must have as 'fact'"),
        (#"{"fact":"region","range":">=1"}"#, "with 'range' must have as 'fact' appVersion, osVersion or an attribute"),
        (#"{"fact":"model","range":">=1"}"#, "with 'range' must have as 'fact'"),
        (#"{"fact":"appVersion","range":"new"}"#, "must have as 'range' a range of versions"),
        (#"{"fact":"region","in":[]}"#, "must compare with 1 to 256 strings"),
        (#"{"fact":"region","in":"CN"}"#, "must compare with 1 to 256 strings"),
        (#"{"fact":"region","in":["CN",1]}"#, "must compare with 1 to 256 strings"),
        (#"{"fact":"region","notIn":[""]}"#, "must compare with 1 to 256 strings"),
        (#"{"fact":"region","prefix":[null]}"#, "must compare with 1 to 256 strings"),
        (#"{"fact":"region","equals":"CN"}"#, "as 'in', 'notIn' or 'prefix'"),
        (#"{"fact":"appVersion","range":8}"#, "as 'in', 'notIn' or 'prefix'"),
    ])
    func `an invalid rule is refused with a message`(text: String, reason: String) throws {
        let error = #expect(throws: PlatformError.self) { try read(text) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message.hasPrefix("A rule ") == true && error?.message.contains(reason) == true,
            "\(error?.message ?? "")")
    }

    @Test func `256 values are compared, 257 are refused`() throws {
        let values = (0...AudienceRule.maximumValues).map { JSON.string("\($0)") }
        func rule(_ values: [JSON]) -> JSON { .object([.init("fact", "region"), .init("in", .array(values))]) }
        let rule256 = try AudienceRule(rule(values.dropLast()))
        var facts = DeviceFacts()
        facts[.region] = "255"
        #expect(rule256.isMet(by: facts))
        #expect(throws: PlatformError.self) { try AudienceRule(rule(values)) }
    }

    @Test func `values have 128 bytes at most`() throws {
        func rule(_ count: Int) -> JSON {
            .object([.init("fact", "region"), .init("in", .array([.string(String(repeating: "a", count: count))]))])
        }
        _ = try AudienceRule(rule(DeviceFacts.maximumLength))
        #expect(throws: PlatformError.self) { try AudienceRule(rule(DeviceFacts.maximumLength + 1)) }
    }

    @Test func `names of attributes have 32 bytes at most`() {
        let longest = "attr." + String(repeating: "a", count: Fact.maximumNameLength)
        #expect(Fact(longest)?.description == longest)
        #expect(Fact(longest + "a") == nil)
        for fact in Fact.builtIn { #expect(Fact(fact.description) == fact) }
    }
}
