import Domain
import Testing

struct OrderedVersionTests {
    private func ordered(_ text: String) throws -> OrderedVersion { try #require(OrderedVersion(text), "\(text)") }

    @Test(arguments: [
        ["0", "0.0.1", "0.1", "1", "1.0.0.1", "1.9", "1.10", "2", "10", "10.0.0.0.0.1", "11"],
        // The order of semver.org, 11.
        [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0",
        ],
        ["1.0-1", "1.0-2", "1.0-10", "1.0--", "1.0-A", "1.0-a", "1.0-a-b", "1.0-b"],
        ["9999999999999999999", "18446744073709551616", "99999999999999999999999999", "100000000000000000000000000"],
    ])
    func `versions rise in this order`(texts: [String]) throws {
        let versions = try texts.map { try ordered($0) }
        for (index, left) in versions.enumerated() {
            for (other, right) in versions.enumerated() {
                #expect((left < right) == (index < other), "\(texts[index]) \(texts[other])")
                #expect((left == right) == (index == other), "\(texts[index]) \(texts[other])")
            }
        }
    }

    @Test(arguments: [
        ("8.3", "8.3.0"), ("8", "8.0.0.0.0"), ("0", "0.0"), ("08.003", "8.3"), ("1.0.0+a", "1.0.0+b"), ("1.0+7", "1"),
        ("1.0-beta", "1.0.0-beta"), ("1.0-beta+x", "1-beta"), ("1.0-01", "1.0-1"),
    ])
    func `zeros at the end and before digits do not count, nor what follows a plus`(left: String, right: String) throws
    {
        #expect(try ordered(left) == ordered(right))
        #expect(try ordered(left).hashValue == ordered(right).hashValue)
        #expect(try !(ordered(left) < ordered(right)) && !(ordered(right) < ordered(left)))
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "a", "v1", "1.a", "1.x", "1 ", " 1", "1,2", "-1", "+1", "1-", "1+", "1.0-a..b",
        "1.0-é",
        "1.0+a..b", "1.0-a_b", "1.0+a+b", "١", "1e5", "1.-1",
    ])
    func `a version that is neither dotted numbers nor semver has no order`(text: String) {
        #expect(OrderedVersion(text) == nil)
    }

    @Test func `128 bytes are read, and no more`() {
        let longest = String(repeating: "1", count: OrderedVersion.maximumLength)
        #expect(OrderedVersion(longest) != nil)
        #expect(OrderedVersion(longest + "1") == nil)
    }
}
