import Dialects
import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

@testable import API

/// Redirects of devices to blobs on another machine (decision 0066).
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct RedirectedBlobTests {
    private static let bucket = "https://bucket.example"

    /// Returns a service with a release whose blobs have links, and the path of its archive.
    private func ready(bytes: Int = 60_000) async throws -> (service: TestService, blobs: DistantBlobs, path: String) {
        let blobs = DistantBlobs(try DiskBlobStore(directory: ScratchDirectory.path))
        let service = try await TestService(blobs: blobs)
        let content = (0..<bytes).map { _ in Character(Unicode.Scalar(UInt8.random(in: 32..<127))) }
        try await service.publish("1.0.0", ["index.html": String(content)])
        try await service.release("1.0.0")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        blobs.forget()
        blobs.link(from: Self.bucket)
        return (service, blobs, String(url.dropFirst(TestService.publicURL.count)))
    }

    @Test func `a device is redirected to a blob, and the server does not fetch it`() async throws {
        let (service, blobs, path) = try await ready()
        let response = try await service.get(path)
        #expect(response.status == 302 && response.body.isEmpty && response["Content-Length"] == "0")
        let digest = path.split(separator: "/")[1]
        #expect(response["Location"] == "\(Self.bucket)/\(digest)?type=application/zip&n=1")
        #expect(response["Access-Control-Allow-Origin"] == "*")
        // The bucket handles ranges and conditions.
        #expect(try await service.get(path, ("Range", "bytes=0-3")).status == 302)
        #expect(try await service.get(path, ("If-None-Match", "\"x\"")).status == 302)
        #expect(blobs.fetches == 0)
    }

    @Test func `a redirect may be kept and is repeated for a part of the time for which its URL is valid`() async throws
    {
        let (service, _, path) = try await ready()
        let first = try await service.get(path)
        let age = BlobLink.reuseTime.components.seconds
        #expect(first["Cache-Control"] == "public, max-age=\(age)")
        #expect(BlobLink.reuseTime * 3 <= BlobLink.validity)
        service.clock.advance(milliseconds: (age - 1) * 1000)
        #expect(try await service.get(path)["Location"] == first["Location"])
        service.clock.advance(milliseconds: 1000)
        #expect(try await service.get(path)["Location"]?.hasSuffix("n=2") == true)
        // The clock is set back.
        service.clock.advance(milliseconds: -86_400_000)
        #expect(try await service.get(path)["Location"]?.hasSuffix("n=3") == true)
    }

    @Test func `HEAD and unpacked files are not redirected`() async throws {
        let (service, blobs, path) = try await ready()
        #expect(try await service.get(path).status == 302)
        let head = try await service.send(TestRequest("HEAD", path))
        #expect(head.status == 200 && head["Content-Length"] != nil && head.body.isEmpty)
        let page = try await service.get("/online/news/1.0.0/index.html")
        #expect(page.status == 200 && page.body.count == 60_000)
        #expect(blobs.fetches == 1)
        blobs.link(from: nil)
        #expect(try await service.get(path).status == 200)
        blobs.link(from: Self.bucket)
        // The archive is local now, and is redirected nevertheless.
        #expect(try await service.get(path).status == 302)
    }

    @Test func `a small blob is sent if it is local`() async throws {
        let (service, blobs, path) = try await ready(bytes: 100)
        #expect(try await service.get(path).status == 302)
        blobs.link(from: nil)
        #expect(try await service.get(path).status == 200)
        blobs.link(from: Self.bucket)
        #expect(try await service.get(path).status == 200)
    }

    @Test func `while there are no links, a device gets the blob from the server`() async throws {
        let (service, blobs, path) = try await ready()
        #expect(try await service.get(path).status == 302)
        blobs.link(from: nil)
        #expect(try await service.get(path).status == 200 && blobs.fetches == 1)
    }

    @Test func `a malformed digest is missing, and the kept redirects are bounded`() async throws {
        let (service, _, _) = try await ready()
        #expect(try await service.get("/blobs/0123/x.zip").status == 404)
        let redirects = BlobRedirects()
        for number in 0..<3 * BlobRedirects.capacity {
            let key = HotBlobs.Key(digest: "\(number)", isArchive: true)
            _ = redirects.make(key, to: Self.bucket, at: service.clock.now())
            #expect(redirects.count <= BlobRedirects.capacity)
        }
    }
}

/// URLs of blobs on a content delivery network.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct CDNTests {
    private static let network = "https://cdn.example/packages"

    @Test func `URLs of archives and patches begin with that of the network, and lead to the server's paths`()
        async throws
    {
        let service = try await TestService(contentURL: "https://content.example", cdnURL: Self.network + "/")
        for version in ["1.0.0", "1.1.0"] {
            try await service.publish(version, ["index.html": "<html>\(version)", "a.js": "1"])
            try await service.release(version)
        }
        let news = try #require(try await service.get("/config").json["news"])
        let incremental = try #require(news["incrementalPackages"]?["1.0.0"]?["url"]?.string)
        for url in [try #require(news["url"]?.string), incremental] {
            #expect(url.hasPrefix("\(Self.network)/blobs/"))
            let response = try await service.get(String(url.dropFirst(Self.network.count)))
            #expect(response.status == 200 && response["Cache-Control"]?.contains("immutable") == true)
            // Equal for every origin, so that a cache needs no variants.
            #expect(response["Access-Control-Allow-Origin"] == "*" && response["Vary"] == nil)
            let etag = try #require(response["ETag"])
            let path = String(url.dropFirst(Self.network.count))
            #expect(try await service.get(path, ("Range", "bytes=0-3"), ("If-Range", etag)).status == 206)
        }
        #expect(news["fallbackUrl"]?.string?.hasPrefix("https://content.example/online/") == true)
    }

    @Test func `URLs of dialects begin with that of the network`() async throws {
        let service = try await TestService(cdnURL: Self.network)
        try await service.putPackage(
            "app", .init(urlPrefix: URLPrefix("/app/"), dialects: [.newestPackage, .resourcesJSON]))
        try await service.shipApp("1.0.0")
        let path = try #require(try await service.askNewest().json["path"]?.string)
        #expect(path.hasPrefix("\(Self.network)/blobs/"))
        let list = try await service.get("/packages/app/resources.json").json["resourceList"]
        #expect(list?.elements?.first?["downUrl"]?.string?.hasPrefix("\(Self.network)/blobs/") == true)
    }
}
