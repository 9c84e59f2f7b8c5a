import Domain
import Ground
import Testing

/// The codec of health rules.
struct HealthPolicyTests {
    private func read(_ text: String) throws -> HealthPolicy? {
        try HealthPolicy.read(try #require(JSON(parsing: Array(text.utf8))))
    }

    private func rule(_ members: String) -> String { #"{"rules": [{\#(members)}]}"# }

    @Test func `a policy is written as it is read, with the defaults of absent members`() throws {
        let policy = try #require(try read(rule(#""metric": "crashes", "ceiling": 2.5"#)))
        #expect(policy == HealthPolicy(rules: [HealthRule(metric: .crashes, ceiling: BasisPoints(250))]))
        #expect(
            policy.json.text
                == #"{"devices":50,"window":"1d","coolDown":"1h","rules":[{"metric":"crashes","ceiling":2.5,"action":"halt"}]}"#
        )
        let full = try read(
            """
            {"devices": 100, "window": "90m", "coolDown": "0s", "rules": [
              {"metric": "loadTime", "ceiling": 20, "aboveControl": 50, "action": "pause", "slowerThan": 3000},
              {"metric": "failures", "ceiling": 10, "action": "rollback"}]}
            """)
        let written = try #require(full)
        #expect(try HealthPolicy.read(written.json) == written)
        #expect(written.tests == 3)
    }

    @Test func `no rules are no policy`() throws {
        #expect(try read(#"{"rules": []}"#) == nil)
    }

    @Test(arguments: [
        "[]", "{}", #"{"rules": {}}"#, #"{"rules": [1]}"#, #"{"rules": [], "window": "1d", "windows": "1d"}"#,
        #"{"rules": [{"metric": "crashes"}]}"#, #"{"rules": [{"metric": "sadness", "ceiling": 1}]}"#,
        #"{"rules": [{"metric": "failures", "ceiling": 1, "aboveControl": 10}]}"#,
        #"{"rules": [{"metric": "loadTime", "ceiling": 1}]}"#,
        #"{"rules": [{"metric": "loadTime", "ceiling": 1, "slowerThan": 5, "action": "halt"}]}"#,
        #"{"rules": [{"metric": "crashes", "ceiling": 1, "slowerThan": 5}]}"#,
        #"{"rules": [{"metric": "crashes", "ceiling": 1, "action": "shout"}]}"#,
        #"{"rules": [{"metric": "crashes", "ceiling": 1, "limit": 1}]}"#,
    ])
    func `a policy with a fault is refused`(text: String) throws {
        #expect(throws: PlatformError.self) { try read(text) }
    }

    @Test(arguments: [
        (#""devices": 10"#, #""devices": 9"#), (#""devices": 1000000"#, #""devices": 1000001"#),
        (#""window": "60m""#, #""window": "59m""#), (#""window": "3d""#, #""window": "73h""#),
        (#""coolDown": "0s""#, #""coolDown": "-1s""#), (#""coolDown": "7d""#, #""coolDown": "8d""#),
    ])
    func `a policy has limits`(edge: String, past: String) throws {
        func text(_ member: String) -> String { #"{"rules": [{"metric": "crashes", "ceiling": 1}], \#(member)}"# }
        #expect(try read(text(edge)) != nil)
        #expect(throws: PlatformError.self) { try read(text(past)) }
    }

    @Test(arguments: [
        (#""ceiling": 0.01"#, #""ceiling": 0"#), (#""ceiling": 99.99"#, #""ceiling": 100"#),
        (#""aboveControl": 0"#, #""aboveControl": -1"#), (#""aboveControl": 1000"#, #""aboveControl": 1001"#),
        (#""ceiling": 1, "slowerThan": 1"#, #""ceiling": 1, "slowerThan": 0"#),
        (#""ceiling": 1, "slowerThan": 86399999"#, #""ceiling": 1, "slowerThan": 86400000"#),
    ])
    func `a rule has limits`(edge: String, past: String) throws {
        let metric = edge.contains("slowerThan") ? "loadTime" : "crashes"
        #expect(try read(rule(#""metric": "\#(metric)", \#(edge)"#)) != nil)
        #expect(throws: PlatformError.self) { try read(rule(#""metric": "\#(metric)", \#(past)"#)) }
    }

    @Test func `a policy has at most 12 rules`() throws {
        func text(_ count: Int) -> String {
            let rules = Array(repeating: #"{"metric": "crashes", "ceiling": 1}"#, count: count)
            return #"{"rules": [\#(rules.joined(separator: ","))]}"#
        }
        #expect(try read(text(HealthPolicy.maximumRules))?.rules.count == 12)
        #expect(throws: PlatformError.self) { try read(text(HealthPolicy.maximumRules + 1)) }
    }
}
