import Domain
import Ground
import HTTP
import ServiceKit
import Store
import TestKit
import Testing

@testable import API

@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct FetchedBlobTests {
    /// Returns a service with a release whose blobs are distant, and the path of its archive.
    private func ready() async throws -> (service: TestService, blobs: DistantBlobs, archive: String) {
        let blobs = DistantBlobs(try DiskBlobStore(directory: ScratchDirectory.path))
        let service = try await TestService(blobs: blobs)
        try await service.publish("1.0.0", ["index.html": "<html>"])
        try await service.release("1.0.0")
        let url = try #require(try await service.get("/config").json["news"]?["url"]?.string)
        blobs.forget()
        return (service, blobs, String(url.dropFirst(TestService.publicURL.count)))
    }

    @Test func `a distant archive is fetched once for concurrent requests, and has the fields of a local one`()
        async throws
    {
        let (service, blobs, path) = try await ready()
        let responses = try await withThrowingTaskGroup { group in
            for _ in 0..<64 { group.addTask { try await service.get(path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.count == 64 && responses.allSatisfy { $0.status == 200 && $0.body == responses[0].body })
        #expect(blobs.fetches == 1)
        let local = try await service.get(path)
        #expect(blobs.fetches == 1)
        for name in ["ETag", "Cache-Control", "Content-Type", "Access-Control-Allow-Origin", "Content-Disposition"] {
            #expect(local[name] != nil && responses.allSatisfy { $0[name] == local[name] }, "\(name)")
        }
    }

    @Test func `conditions and ranges hold for distant blobs`() async throws {
        let (service, blobs, path) = try await ready()
        #expect(try await service.get(path, ("Range", "bytes=0-3")).status == 206)
        let etag = try #require(try await service.get(path)["ETag"])
        blobs.forget()
        #expect(try await service.get(path, ("If-None-Match", etag)).status == 304)
    }

    @Test func `HEAD describes a distant archive without fetching it, as GET would respond`() async throws {
        let (service, blobs, path) = try await ready()
        func head(_ fields: (String, String)...) async throws -> TestResponse {
            try await service.send(fields.reduce(TestRequest("HEAD", path)) { $0.with($1.0, $1.1) })
        }
        let described = try await head()
        let etag = try #require(described["ETag"])
        #expect(described.status == 200 && described.body.isEmpty)
        #expect(try await head(("If-None-Match", etag)).status == 304)
        #expect(try await head(("If-Match", "\"other\"")).status == 412)
        #expect(try await head(("Range", "bytes=0-3")).status == 200)
        let missing = "/blobs/\(String(repeating: "0", count: 64))/x.zip"
        #expect(try await service.send(TestRequest("HEAD", missing)).status == 404)
        #expect(blobs.fetches == 0 && blobs.descriptions == 5)
        let got = try await service.get(path)
        #expect(blobs.fetches == 1 && described["Content-Length"] == String(got.body.count))
        for name in ["ETag", "Last-Modified", "Cache-Control", "Content-Type", "Accept-Ranges", "Content-Disposition"] {
            #expect(got[name] == described[name], "\(name)")
        }
        blobs.forget(failure: PlatformError(.busy, "The store of files cannot be reached now."))
        #expect(try await head().status == 503)
    }

    @Test func `a distant page is fetched and isolated, also when its path is cached`() async throws {
        let (service, blobs, _) = try await ready()
        for _ in 0..<2 {
            blobs.forget()
            let response = try await service.get("/online/news/1.0.0/index.html")
            #expect(response.status == 200 && response.text == "<html>")
            #expect(response["Content-Security-Policy"] == "sandbox allow-scripts allow-forms")
            #expect(blobs.fetches == 1)
        }
    }

    @Test func `while blobs cannot be fetched, a request gets 503 and the time of the next attempt`() async throws {
        let (service, blobs, path) = try await ready()
        blobs.forget(failure: PlatformError(.busy, "The store of files cannot be reached now."))
        for path in [path, "/online/news/1.0.0/index.html"] {
            let response = try await service.get(path)
            #expect(response.status == 503 && response["Retry-After"] == "5")
            #expect(response["Access-Control-Allow-Origin"] == "*")
        }
        blobs.forget()
        #expect(try await service.get(path).status == 200)
    }

    private let flooding = PeerAddress(ipv4: 0x0A00_0001)
    private let honest = PeerAddress(ipv4: 0x0A00_0002)

    /// Requests invented digests from one address, which the store does not finish; returns once all turns are used.
    private func flood(
        _ service: TestService, _ blobs: DistantBlobs, with paths: [String] = []
    ) async -> [Task<Int, any Error>] {
        blobs.hold()
        let invented = (0..<64).map { number in
            "/blobs/\(SHA256Digest(bytes: Array(repeating: UInt8(number), count: 32))?.hex ?? "")/x.zip"
        }
        let tasks = (invented + paths).map { path in
            Task { try await service.send(TestRequest("GET", path).from(flooding)).status }
        }
        while blobs.fetches < BlobFetcher.widthOfClient { await Task.yield() }
        return tasks
    }

    @Test func `64 invented digests from one address do not delay the blob of another address`() async throws {
        let (service, blobs, path) = try await ready()
        let tasks = await flood(service, blobs)
        // All of these fetches still run when the blob arrives.
        let response = try await service.send(TestRequest("GET", path).from(honest))
        #expect(response.status == 200 && blobs.fetches == BlobFetcher.widthOfClient + 1)
        blobs.release()
        for task in tasks { #expect(try await task.value == 404) }
    }

    @Test func `a blob that a slow client waits for is not delayed for another client`() async throws {
        let (service, blobs, path) = try await ready()
        let tasks = await flood(service, blobs, with: [path])
        let response = try await service.send(TestRequest("GET", path).from(honest))
        #expect(response.status == 200 && blobs.fetches == BlobFetcher.widthOfClient + 1)
        blobs.release()
        for task in tasks.dropLast() { #expect(try await task.value == 404) }
        #expect(try await tasks.last?.value == 200)
    }

    @Test func `the figures of the cache and the bucket are metrics`() async throws {
        let desk = try await Desk(try await ready().service)
        let lines = try await desk.call("GET", "/metrics", as: .publisher).text.split(separator: "\n")
        for line in [
            "larder_cache_hits_total 1", "larder_cache_misses_total 2", "larder_cache_fills_total 3",
            "larder_cache_evictions_total 4", "larder_cache_bytes 5", "larder_cache_files 6",
            "larder_bucket_requests_total 7", "larder_bucket_failures_total 8",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }
}
