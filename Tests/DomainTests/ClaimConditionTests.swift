import Testing

@testable import Domain

/// Tests the patterns of conditions on claims.
struct ClaimConditionTests {
    @Test(arguments: [
        ("acme/shop", "acme/shop", true), ("acme/shop", "acme/shop2", false), ("acme/shop", "Acme/shop", false),
        ("refs/tags/*", "refs/tags/", true), ("refs/tags/*", "refs/tags/v1/x", true),
        ("refs/tags/*", "refs/heads/v", false),
        ("*/shop", "acme/shop", true), ("*/shop", "acme/shops", false), ("a*a", "a", false), ("a*a", "aa", true),
        ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("*b*", "abc", true), ("*b*", "ac", false),
        ("a**c", "abc", true), ("ab*ba", "aba", false), ("true", "true", true), ("é*", "éa", true),
    ])
    func `an asterisk stands for any characters`(pattern: String, text: String, isMatch: Bool) throws {
        let condition = try #require(ClaimCondition(claim: "ref", pattern: pattern))
        #expect(condition.matches(text) == isMatch)
    }

    @Test func `a pattern has 1 to 200 bytes, not only asterisks`() {
        #expect(ClaimCondition(claim: "a", pattern: String(repeating: "x", count: 200)) != nil)
        #expect(ClaimCondition(claim: "a", pattern: String(repeating: "x", count: 201)) == nil)
        #expect(ClaimCondition(claim: "a", pattern: "") == nil && ClaimCondition(claim: "", pattern: "a") == nil)
        #expect(ClaimCondition(claim: "a", pattern: "*") == nil && ClaimCondition(claim: "a", pattern: "***") == nil)
        #expect(ClaimCondition(claim: String(repeating: "x", count: 201), pattern: "a") == nil)
    }
}
