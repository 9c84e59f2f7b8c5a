import Client
import Domain
import Ground
import Testing

/// Tests each rule of clients.md.
struct SeedDecisionTests {
    private func decide(_ entry: String, local: String? = nil) -> SeedDecision {
        SeedDecision(
            entry: JSON(parsing: Array(entry.utf8)) ?? .null, local: LocalConfig(local.map { Array($0.utf8) }))
    }

    @Test(arguments: ["[]", "\"news\"", "null", "7"])
    func `K2: an entry that is not an object is skipped`(entry: String) {
        #expect(decide(entry) == .skip(.notAnObject))
    }

    @Test(arguments: ["false", "0", "0.0", "null", "\"yes\"", nil])
    func `K3: a package that is not enabled is skipped`(enable: String?) {
        let member = enable.map { "\"enable\":\($0)," } ?? ""
        #expect(decide("{\(member)\"version\":\"1\"}", local: "{\"version\":\"0\"}") == .skip(.notEnabled))
    }

    @Test(arguments: ["true", "1", "2.5"])
    func `K3: a package that is enabled is downloaded`(enable: String) {
        #expect(decide("{\"enable\":\(enable),\"version\":\"1\"}") == .full)
    }

    @Test func `K4 and K9: without a copy the full package is downloaded, whatever patches exist`() {
        let entry = #"{"enable":true,"version":"1.1","incrementalPackages":{"1.0":{}}}"#
        #expect(decide(entry) == .full)
    }

    @Test(arguments: ["{", "[]", "", "\"1.0\""])
    func `K4, where this client is better: a broken copy is repaired by the full package`(local: String) {
        let entry = #"{"enable":true,"version":"1.1","incrementalPackages":{"1.0":{}}}"#
        #expect(decide(entry, local: local) == .full)
    }

    @Test(arguments: [
        ("1.0", "1.0", true), ("1.0", "1.0.0", false), ("1.0", "2.0", false), ("é", "e\u{301}", false),
    ])
    func `K5: versions are the same only character by character`(new: String, old: String, isCurrent: Bool) {
        let decision = decide("{\"enable\":true,\"version\":\"\(new)\"}", local: "{\"version\":\"\(old)\"}")
        #expect((decision == .current) == isCurrent)
    }

    @Test func `K5: a lower version is an update`() {
        let entry = #"{"enable":true,"version":"1.0","incrementalPackages":{"2.0":{}}}"#
        #expect(decide(entry, local: #"{"version":"2.0"}"#) == .incremental(from: "2.0"))
    }

    @Test func `K6: a version that is not a string is skipped, where seed 000 would crash`() {
        #expect(decide(#"{"enable":true,"version":1}"#) == .skip(.versionNotAString))
    }

    @Test(arguments: ["", #","incrementalPackages":[]"#, #","incrementalPackages":null"#])
    func `K8: without incremental packages the full one is downloaded`(member: String) {
        let entry = "{\"enable\":true,\"version\":\"1.1\"\(member)}"
        #expect(decide(entry, local: #"{"version":"1.0"}"#) == .full)
    }

    @Test func `K10: the incremental package for the local version is downloaded, or else the full one`() {
        let entry = #"{"enable":true,"version":"1.1","incrementalPackages":{"1.0":{}}}"#
        #expect(decide(entry, local: #"{"version":"1.0"}"#) == .incremental(from: "1.0"))
        #expect(decide(entry, local: #"{"version":"0.9"}"#) == .full)
    }

    @Test(arguments: ["{}", #"{"version":1}"#, #"{"version":null}"#])
    func `K11: a copy without a version gets the full package`(local: String) {
        let entry = #"{"enable":true,"version":"1.1","incrementalPackages":{"1.0":{}}}"#
        #expect(decide(entry, local: local) == .full)
    }
}
