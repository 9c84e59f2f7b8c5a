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
    func `a rule is read, written as it was, and says itself in words`(text: String, words: String) throws {
        let rule = try read(text)
        #expect(rule.description == words)
        #expect(try AudienceRule(rule.json) == rule)
        #expect(rule.json == JSON(parsing: Array(text.utf8)))
    }

    @Test(arguments: [
        ("[]", "has a 'fact' and one of"), (#"{"fact":"region"}"#, "has a 'fact' and one of"),
        (#"{"in":["CN"],"x":1}"#, "has a 'fact' and one of"), (#"{"fact":1,"in":["CN"]}"#, "has a 'fact' and one of"),
        (#"{"fact":"region","in":["CN"],"notIn":["US"]}"#, "has a 'fact' and one of"),
        (#"{"fact":"colour","in":["red"]}"#, "has a 'fact' that is 'appVersion'"),
        (#"{"fact":"attr.","in":["red"]}"#, "has a 'fact' that is"),
        (#"{"fact":"attr.a b","in":["x"]}"#, "has a 'fact' that is"),
        (#"{"fact":"Region","in":["CN"]}"#, "has a 'fact' that is"),
        (#"{"fact":"region","range":">=1"}"#, "with a 'range' is on appVersion, osVersion or an attribute"),
        (#"{"fact":"model","range":">=1"}"#, "with a 'range' is on"),
        (#"{"fact":"appVersion","range":"new"}"#, "has as 'range' a range of versions"),
        (#"{"fact":"region","in":[]}"#, "compares with 1 to 256 texts"),
        (#"{"fact":"region","in":"CN"}"#, "compares with 1 to 256 texts"),
        (#"{"fact":"region","in":["CN",1]}"#, "compares with 1 to 256 texts"),
        (#"{"fact":"region","notIn":[""]}"#, "compares with 1 to 256 texts"),
        (#"{"fact":"region","prefix":[null]}"#, "compares with 1 to 256 texts"),
        (#"{"fact":"region","equals":"CN"}"#, "asks by 'in', 'notIn' or 'prefix'"),
        (#"{"fact":"appVersion","range":8}"#, "asks by 'in', 'notIn' or 'prefix'"),
    ])
    func `what is no rule is refused with a sentence`(text: String, reason: String) throws {
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
