import Domain
import Ground
import HTTP
import Synchronization
import TestKit
import Testing
import Transport

@testable import Store

/// URLs by which devices get blobs from the bucket.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct LinkTests {
    private let heading = BlobLink.Heading(
        contentType: "application/zip", contentDisposition: "attachment", cacheControl: "public, max-age=60, immutable")
    private let bytes = Array("the bytes of a blob".utf8)

    private func get(_ url: String, range: String? = nil) throws -> ClientResponse {
        var request = ClientRequest(.get, try HTTPURL(url))
        request.fields[.range] = range
        return try HTTPClient().send(request)
    }

    @Test func `a link leads to the bytes with the fields of the server's response, also in ranges`() throws {
        let server = try S3Server()
        let store = try bucketStore(server.endpoint, delivery: .redirect)
        try publish([bytes], into: store)
        let url = try #require(store.link(to: .of(bytes), heading))
        let response = try get(url)
        #expect(response.head.status == 200 && response.body == bytes)
        #expect(response.head.fields[.contentType]?.hasPrefix(heading.contentType) == true)
        #expect(response.head.fields[.contentDisposition] == heading.contentDisposition)
        #expect(response.head.fields[.cacheControl] == heading.cacheControl)
        let part = try get(url, range: "bytes=4-8")
        #expect(part.head.status == 206 && part.body == Array("bytes".utf8))
    }

    @Test func `a link to an invented blob leads to an error without a package`() throws {
        let server = try S3Server()
        let store = try bucketStore(server.endpoint, delivery: .redirect)
        let url = try #require(store.link(to: .of(bytes), heading))
        #expect(try get(url).head.status == 404)
    }

    @Test func `a link is valid for its object, its fields and its time only`() throws {
        let server = try S3Server()
        let store = try bucketStore(server.endpoint, delivery: .redirect)
        try publish([bytes, [1]], into: store)
        let url = try #require(store.link(to: .of(bytes), heading))
        let other = url.replacing(SHA256Digest.of(bytes).hex, with: SHA256Digest.of([1]).hex)
        #expect(try get(other).head.status == 403)
        #expect(try get(url.replacing("application%2Fzip", with: "text%2Fhtml")).head.status == 403)
        #expect(try get(url.replacing("X-Amz-Expires=21600", with: "X-Amz-Expires=43200")).head.status == 403)
        func status(of age: Duration) throws -> Int {
            let start = Timestamp.ofSystem.adding(milliseconds: -Int64(age / .milliseconds(1)))
            let client = try bucketClient(server.endpoint, prefix: "p", timing: ManualTiming(start).timing)
            let key = client.address.key(of: .of(bytes))
            return try get(client.link(to: key, query: [], validFor: BlobLink.validity)).head.status
        }
        #expect(try status(of: BlobLink.validity - .seconds(60)) == 200)
        #expect(try status(of: BlobLink.validity + .seconds(60)) == 403)
    }

    @Test func `a link is signed by the corrected clock`() throws {
        // By its own clock, this machine would make links that have expired.
        let server = try S3Server(clockOffset: 7 * 3_600)
        let store = try bucketStore(server.endpoint, delivery: .redirect)
        try publish([bytes], into: store)
        #expect(try get(try #require(store.link(to: .of(bytes), heading))).head.status == 200)
    }

    @Test func `there are no links without the setting, and none while the bucket fails`() throws {
        let isDown = Atomic(false)
        let server = scriptedBucket { _ in isDown.load(ordering: .relaxed) ? .response(500) : nil }
        let timing = ManualTiming(.ofSystem)
        #expect(try !bucketStore(server.base, timing: timing.timing).hasLinks)
        let store = try bucketStore(
            server.base, cache: "\(ScratchDirectory.path)/other", delivery: .redirect, timing: timing.timing)
        #expect(store.hasLinks)
        isDown.store(true, ordering: .relaxed)
        for number in UInt8(0)..<2 { #expect(throws: PlatformError.self) { try store.open(.of([number])) } }
        #expect(!store.hasLinks && store.link(to: .of([1]), heading) == nil)
        isDown.store(false, ordering: .relaxed)
        timing.advance(by: CircuitBreaker.openTime)
        #expect(try store.open(.of([9])) == nil)
        #expect(store.hasLinks)
    }

    @Test(arguments: [
        (403, "AccessDenied"), (404, "NoSuchBucket"), (301, "PermanentRedirect"), (400, "InvalidArgument"),
    ])
    func `there are no links once the bucket has refused a request, until it fulfils one`(
        status: Int, code: String
    ) throws {
        let isRefusing = Atomic(false)
        let server = scriptedBucket { request in
            guard request.path.contains("/blobs/"), request.method == "GET" else { return nil }
            return isRefusing.load(ordering: .relaxed)
                ? .response(status, [:], refusal(code)) : .response(200, [:], [7])
        }
        let store = try bucketStore(server.base, delivery: .redirect, timing: ManualTiming(.ofSystem).timing)
        #expect(store.hasLinks)
        isRefusing.store(true, ordering: .relaxed)
        #expect(throws: PlatformError.self) { try store.open(.of([7])) }
        #expect(!store.hasLinks && store.link(to: .of([1]), heading) == nil)
        isRefusing.store(false, ordering: .relaxed)
        #expect(try store.open(.of([7])) != nil)
        #expect(store.hasLinks)
    }
}
