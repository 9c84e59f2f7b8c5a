import Domain
import FoundationEssentials
import Ground
import HTTP
import ServiceKit
import TestKit
import Testing

@testable import API

@Suite(.scratchMemory)
struct HotBlobsTests {
    private func key(_ number: Int) -> HotBlobs.Key { HotBlobs.Key(digest: "\(number)", isArchive: true) }
    private let entry = HotBlobs.Entry(
        response: PreparedResponse(.ok, fields: [:]), date: Timestamp(milliseconds: 0))

    @Test func `an entry that is requested repeatedly stays, however many others are requested once`() {
        let hot = HotBlobs()
        hot.keep(entry, under: key(-1))
        for number in 0..<10 * HotBlobs.capacity {
            hot.keep(entry, under: key(number))
            #expect(hot[key(-1)] != nil)
            #expect(hot.count <= HotBlobs.capacity)
        }
        #expect(hot[key(0)] == nil)
    }

    /// Returns a service with a released package of so many random bytes, and the path of its archive.
    private func ready(bytes: Int) async throws -> (service: TestService, path: String) {
        let service = try await TestService()
        let content = (0..<bytes).map { _ in Character(Unicode.Scalar(UInt8.random(in: 32..<127))) }
        try await service.publish("1.0.0", ["index.html": String(content)])
        try await service.release("1.0.0")
        // Later than the machine's clock, which determines the blobs' dates.
        service.clock.set(to: Timestamp(milliseconds: 4_000_000_000_000))
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        return (service, String(url.dropFirst(TestService.publicURL.count)))
    }

    @Test(arguments: [100, 60_000]) func `the response for a blob does not depend on earlier requests`(
        bytes: Int
    ) async throws {
        let (service, path) = try await ready(bytes: bytes)
        let first = try await service.get(path)
        let second = try await service.get(path)
        #expect(first.status == 200 && first.body == second.body)
        #expect(first.fields.map { "\($0.name): \($0.value)" } == second.fields.map { "\($0.name): \($0.value)" })
        #expect((first.body.count > HotBlobs.inlineBytes) == (bytes > HotBlobs.inlineBytes))
        let head = try await service.send(TestRequest("HEAD", path))
        #expect(head.body.isEmpty && head["Content-Length"] == "\(first.body.count)")
    }

    @Test(arguments: [100, 60_000]) func `conditions and ranges apply to a blob that was requested before`(
        bytes: Int
    ) async throws {
        let (service, path) = try await ready(bytes: bytes)
        let whole = try await service.get(path)
        let tag = try #require(whole["ETag"])
        #expect(try await service.get(path, ("If-None-Match", tag)).status == 304)
        #expect(try await service.get(path, ("if-match", "\"other\"")).status == 412)
        let part = try await service.get(path, ("RANGE", "bytes=1-3"))
        #expect(part.status == 206 && part.body == Array(whole.body[1...3]))
    }

    @Test(arguments: [100, 60_000]) func `a blob that was requested before is found without the file system`(
        bytes: Int
    ) async throws {
        let (service, path) = try await ready(bytes: bytes)
        let before = try await service.get(path).body
        try FileManager.default.removeItem(atPath: service.folder + "/blobs")
        #expect(try await service.get(path).body == before)
        #expect(try await service.get(path, ("Range", "bytes=0-0")).status == 404)
    }
}
