import Domain
import Ground
import Platform
import ServiceKit
import TestKit
import Testing

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct ArchiveRouteTests {
    private let archives = Desk.news + "/versions/1.0.0/archives"

    @Test func `an archive is made once, listed, and downloaded`() async throws {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        let made = try await desk.call("PUT", archives + "/flat")
        #expect(made.status == 201)
        let json = try made.json
        #expect(json["layout"] == "flat" && json["signature"]?.string != nil)
        #expect(json["signatures"]?.elements?.count == 1)
        #expect(try await desk.call("PUT", archives + "/flat").status == 200)
        let listed = try await desk.call("GET", archives).json["archives"]?.elements ?? []
        #expect(listed.map { $0["layout"]?.string } == ["app-folder", "flat"])
        #expect(listed.last == json)
        let url = try #require(json["url"]?.string)
        #expect(url.hasSuffix("/news-1.0.0-flat.zip"))
        let zip = try await desk.service.get(String(url.dropFirst(TestService.publicURL.count)))
        #expect(zip.body.count == Int(try #require(json["size"]?.integer)))
        #expect(desk.service.cryptography.sha256(zip.body).hex == json["sha256"]?.string)
    }

    @Test func `an unknown layout or version is refused`() async throws {
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        let wrong = try await desk.call("PUT", archives + "/round")
        #expect(wrong.status == 400)
        #expect(wrong.detail.contains("'base-names'"))
        for version in ["2.0.0", "..", "1.0.0x"] {
            let missing = Desk.news + "/versions/\(version)/archives"
            #expect([400, 404].contains(try await desk.call("GET", missing).status))
            #expect([400, 404].contains(try await desk.call("PUT", missing + "/flat").status))
        }
    }
}
