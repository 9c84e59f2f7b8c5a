import Artifacts
import Dispatch
import Domain
import Files
import Foundation
import Ground
import Synchronization
import TestKit
import Testing
import Transport

@testable import Store

@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct RemoteBlobStoreTests {
    private var cachePath: String { "\(ScratchDirectory.path)/cache" }

    private func store(
        _ endpoint: String, cache: String? = nil, capacity: Int = 1 << 30, epoch: String = "one",
        timing: S3Timing? = nil, timeouts: TransportTimeouts = TransportTimeouts(), log: RecordingLog = RecordingLog()
    ) throws -> RemoteBlobStore {
        try bucketStore(
            endpoint, cache: cache ?? cachePath, capacity: capacity, epoch: epoch, timing: timing, timeouts: timeouts,
            log: log)
    }

    private func emptyCache() throws {
        for shard in try Folder.entries("\(cachePath)/blobs") {
            for name in try Folder.entries("\(cachePath)/blobs/\(shard)") {
                try Folder.remove("\(cachePath)/blobs/\(shard)/\(name)")
            }
        }
    }

    @Test func `committed blobs are in the bucket and are read from the cache`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint)
        _ = try server.takeCounts()
        try publish([[1], [2, 2]], into: store)
        #expect(try server.takeCounts() == ["PUT": 2])
        #expect(try store.open(.of([2, 2]))?.contents() == [2, 2])
        guard case .open = try store.locate(.of([1])) else {
            Issue.record("the blob is not cached")
            return
        }
        #expect(try server.takeCounts() == [:])
    }

    @Test func `a node without the file fetches it once and dates it like the object`() throws {
        let server = try S3Server()
        try publish([[1, 2, 3]], into: try store(server.endpoint))
        let other = try store(server.endpoint, cache: "\(ScratchDirectory.path)/other")
        guard case .remote = try other.locate(.of([1, 2, 3])) else {
            Issue.record("the blob is cached")
            return
        }
        let blob = try #require(try other.open(.of([1, 2, 3])))
        #expect(blob.contents() == [1, 2, 3])
        let object = try #require(try other.client.head(other.key(of: .of([1, 2, 3]))))
        #expect(blob.storedAt == object.modified)
        let again = try #require(try other.open(.of([1, 2, 3])))
        #expect(again.storedAt == blob.storedAt && again.contents() == [1, 2, 3])
        #expect(other.figures?.fills == 1 && other.figures?.hits == 1 && other.figures?.misses == 1)
    }

    @Test func `a blob is described without being fetched`() throws {
        let server = try S3Server()
        try publish([[1, 2, 3]], into: try store(server.endpoint))
        let other = try store(server.endpoint, cache: "\(ScratchDirectory.path)/other")
        _ = try server.takeCounts()
        let facts = try #require(try other.describe(.of([1, 2, 3])))
        for _ in 0..<2 { #expect(try other.describe(.of([9])) == nil) }
        #expect(try server.takeCounts() == ["HEAD": 2])
        let blob = try #require(try other.open(.of([1, 2, 3])))
        #expect(facts == BlobFacts(size: 3, storedAt: blob.storedAt))
        _ = try server.takeCounts()
        #expect(try other.describe(.of([1, 2, 3])) == facts)
        #expect(try server.takeCounts() == [:])
    }

    @Test func `64 concurrent reads of one blob make one request`() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let gets = Atomic(0)
        let server = scriptedBucket { request in
            guard request.method == "GET", request.path.contains("/blobs/") else { return nil }
            gets.add(1, ordering: .relaxed)
            usleep(100_000)
            return .response(200, [:], bytes)
        }
        let store = try store(server.base)
        let read = Atomic(0)
        let group = DispatchGroup()
        for _ in 0..<64 {
            group.enter()
            Thread.start {
                if (try? store.open(.of(bytes)))??.contents() == bytes { read.add(1, ordering: .relaxed) }
                group.leave()
            }
        }
        group.wait()
        #expect(read.load(ordering: .relaxed) == 64 && gets.load(ordering: .relaxed) == 1)
    }

    @Test func `a cold cache of 100 blobs makes one request for each, however many read at once`() throws {
        let contents = (0..<100).map { number in (0..<2_000).map { UInt8(truncatingIfNeeded: $0 * number) } }
        let objects = Dictionary(
            uniqueKeysWithValues: contents.map { ("/larder/\(blobKey(.of($0)))", $0) })
        let server = scriptedBucket { request in
            request.method == "GET" ? objects[request.path].map { .response(200, [:], $0) } : nil
        }
        let store = try store(server.base)
        let read = Atomic(0)
        let group = DispatchGroup()
        for start in 0..<16 {
            group.enter()
            Thread.start {
                for index in contents.indices {
                    let bytes = contents[(index + start) % contents.count]
                    if (try? store.open(.of(bytes)))??.contents() == bytes { read.add(1, ordering: .relaxed) }
                }
                group.leave()
            }
        }
        group.wait()
        #expect(read.load(ordering: .relaxed) == 1_600)
        #expect(server.requests.count { $0.method == "GET" && $0.path.contains("/blobs/") } == 100)
        #expect(store.figures?.fills == 100 && store.figures?.cachedBytes == 200_000)
    }

    private func blobKey(_ digest: SHA256Digest) -> String { "p/blobs/\(digest.hex.prefix(2))/\(digest.hex)" }

    @Test func `wrong bytes are never served`() throws {
        let server = scriptedBucket { request in
            request.method == "GET" && request.path.contains("/blobs/") ? .response(200, [:], [6, 6, 6]) : nil
        }
        let log = RecordingLog()
        let store = try store(server.base, log: log)
        #expect { try store.open(.of([1, 2, 3])) } throws: { ($0 as? PlatformError)?.code == .storageFailed }
        // Asked again without a further request.
        #expect(throws: PlatformError.self) { try store.open(.of([1, 2, 3])) }
        #expect(server.requests.count { $0.method == "GET" && $0.path.contains("/blobs/") } == 2)
        #expect(log.all.contains { $0.hasPrefix("bucket.damaged") })
        #expect(try Folder.entries("\(cachePath)/staging").isEmpty)
        #expect(store.figures?.cachedFiles == 0)
    }

    @Test func `a missing object is logged, and the bucket is not asked again for a while`() throws {
        let server = try S3Server()
        let (timing, log) = (ManualTiming(.ofSystem), RecordingLog())
        let store = try store(server.endpoint, timing: timing.timing, log: log)
        _ = try server.takeCounts()
        #expect(try store.open(.of([1])) == nil)
        guard case .missing = try store.locate(.of([1])) else {
            Issue.record("the blob is not known to be missing")
            return
        }
        #expect(try store.open(.of([1])) == nil)
        #expect(try server.takeCounts() == ["GET": 1])
        #expect(log.all.count { $0.hasPrefix("bucket.missing") } == 1)
        // A publishing ends that.
        try publish([[1]], into: store)
        #expect(try store.open(.of([1])) != nil)
        timing.advance(by: RemoteLimits.absenceTime)
        #expect(try store.open(.of([2])) == nil)
    }

    @Test func `a publishing uploads what the bucket has lost, even if it is cached`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint)
        try publish([[1, 2]], into: store)
        try store.client.delete(store.key(of: .of([1, 2])))
        try publish([[1, 2]], into: store)
        #expect(try store.client.head(store.key(of: .of([1, 2])))?.size == 2)
    }

    @Test func `a blob up to the limit is uploaded without a question, and one byte more is asked for first`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint)
        let limit = RemoteLimits.maximumUploadWithoutHead
        let (largest, larger) = ([UInt8](repeating: 1, count: limit), [UInt8](repeating: 2, count: limit + 1))
        _ = try server.takeCounts()
        try publish([largest], into: store)
        #expect(try server.takeCounts() == ["PUT": 1])
        try publish([larger], into: store)
        #expect(try server.takeCounts() == ["HEAD": 1, "PUT": 1])
        // Cached, and in the bucket.
        try publish([largest, larger], into: store)
        #expect(try server.takeCounts() == ["HEAD": 2])
        let other = try self.store(server.endpoint, cache: "\(ScratchDirectory.path)/other")
        _ = try server.takeCounts()
        try publish([largest, larger], into: other)
        #expect(try server.takeCounts() == ["HEAD": 1, "PUT": 1])
        #expect(try other.client.head(other.key(of: .of(largest)))?.size == limit)
    }

    @Test func `a cached blob that is published again has the date of its object`() throws {
        let server = scriptedBucket { request in
            request.method == "HEAD" ? .response(200, ["Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"], [7]) : nil
        }
        let store = try store(server.base)
        try publish([[7]], into: store)
        #expect(try store.open(.of([7]))?.storedAt != Timestamp(milliseconds: 1_767_225_600_000))
        try publish([[7]], into: store)
        #expect(try store.open(.of([7]))?.storedAt == Timestamp(milliseconds: 1_767_225_600_000))
        #expect(server.requests.count { $0.method == "PUT" && $0.path.contains("/blobs/") } == 1)
    }

    @Test func `nothing is visible if an upload fails`() throws {
        let server = scriptedBucket { request in
            request.method == "PUT" && request.path.contains("/blobs/")
                ? .response(403, [:], refusal("AccessDenied"))
                : nil
        }
        let log = RecordingLog()
        let store = try store(server.base, log: log)
        #expect { try publish([[1], [2]], into: store) } throws: {
            let error = $0 as? PlatformError
            return error?.code == .busy && error?.cause?.contains("s3:PutObject") == true
        }
        #expect(log.all.contains { $0.hasPrefix("bucket.failed") && $0.contains("AccessDenied") })
        #expect(store.figures?.cachedFiles == 0)
        #expect(try Folder.entries("\(cachePath)/staging").isEmpty)
    }

    @Test func `while the bucket is down, cached blobs are read and others are refused for a while`() throws {
        let server = try S3Server()
        let timing = ManualTiming(.ofSystem)
        let store = try store(server.endpoint, timing: timing.timing)
        try publish([[1]], into: store)
        try publish([[2]], into: try self.store(server.endpoint, cache: "\(ScratchDirectory.path)/other"))
        try server.goDown()
        #expect(try store.open(.of([1]))?.contents() == [1])
        #expect { try store.open(.of([2])) } throws: { ($0 as? PlatformError)?.code == .busy }
        #expect { try publish([[3]], into: store) } throws: { ($0 as? PlatformError)?.code == .busy }
        try server.comeBack()
        timing.advance(by: CircuitBreaker.openTime)
        #expect(try store.open(.of([2]))?.contents() == [2])
        try publish([[3]], into: store)
    }

    @Test func `a removal deletes the file and the object, unless a staging holds the blob`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint)
        try publish([[1], [2]], into: store)
        let (one, two) = (SHA256Digest.of([1]), SHA256Digest.of([2]))
        #expect(try store.permitRemoval(at: .ofSystem) != nil)
        #expect(store.condemn([one, two]) == [one, two])
        let staging = try store.stage()
        try staging.addBlob([2], as: two)
        #expect(try store.removeCondemned([one, two]) == 1)
        #expect(try store.client.head(store.key(of: one)) == nil && store.client.head(store.key(of: two)) != nil)
        #expect(try store.open(one) == nil && store.open(two) != nil)
    }

    @Test func `two installations never share a prefix`() throws {
        let server = try S3Server()
        _ = try store(server.endpoint)
        _ = try store(server.endpoint, cache: "\(ScratchDirectory.path)/second")
        #expect {
            try store(server.endpoint, cache: "\(ScratchDirectory.path)/third", epoch: "two")
        } throws: { ($0 as? PlatformError)?.message.contains("Give another prefix with --blobs") == true }
    }

    @Test func `a start without a right to write or delete fails`() throws {
        let server = scriptedBucket { request in
            request.method == "DELETE" ? .response(403, [:], refusal("AccessDenied")) : nil
        }
        #expect { try store(server.base) } throws: {
            ($0 as? PlatformError)?.message.contains("s3:DeleteObject") == true
        }
    }

    // MARK: The cache

    @Test func `the least recently used files are evicted, and are fetched again`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint, capacity: 250)
        let contents = (0..<3).map { [UInt8](repeating: $0, count: 100) }
        try publish([contents[0]], into: store)
        try publish([contents[1]], into: store)
        #expect(try store.open(.of(contents[0])) != nil)
        try publish([contents[2]], into: store)
        #expect(store.figures?.evictions == 1 && store.figures?.cachedBytes == 200)
        guard case .remote = try store.locate(.of(contents[1])) else {
            Issue.record("the wrong file was evicted")
            return
        }
        #expect(try store.open(.of(contents[1]))?.contents() == contents[1])
        #expect(store.figures?.cachedBytes == 200)
    }

    @Test(arguments: [BlobCache.evictionStep, BlobCache.evictionStep + 1, 2 * BlobCache.evictionStep])
    func `a large file evicts as many small ones as necessary`(count: Int) throws {
        let cache = try BlobCache(cachePath, capacity: 4 * count)
        func add(_ bytes: [UInt8]) throws -> String {
            let path = cache.newPath()
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try cache.add(path, as: BlobRecord(digest: .of(bytes), size: bytes.count))
            return cache.folders.path(of: .of(bytes))
        }
        let paths = try (0..<count).map { try add(Array(String($0 + 1_000).utf8)) }
        #expect(cache.figures.evictions == 0)
        let large = try add([UInt8](repeating: 7, count: 4 * count))
        #expect(cache.figures.evictions == count && cache.figures.bytes == 4 * count && cache.figures.files == 1)
        #expect(!paths.contains { FileManager.default.fileExists(atPath: $0) })
        #expect(FileManager.default.fileExists(atPath: large))
    }

    @Test func `a blob larger than the cache is served`() throws {
        let server = try S3Server()
        let bytes = [UInt8](repeating: 1, count: 500)
        try publish([bytes], into: try store(server.endpoint, cache: "\(ScratchDirectory.path)/other"))
        let store = try store(server.endpoint, capacity: 100)
        #expect(try store.open(.of(bytes))?.contents() == bytes)
        #expect(store.figures?.cachedBytes == 0)
        #expect(try Folder.entries("\(cachePath)/staging").isEmpty)
    }

    @Test func `a cache that is emptied by hand is filled again`() throws {
        let server = try S3Server()
        let store = try store(server.endpoint)
        try publish([[1, 2, 3]], into: store)
        try emptyCache()
        #expect(try store.open(.of([1, 2, 3]))?.contents() == [1, 2, 3])
    }

    @Test func `a restart keeps the cache, and removes staged files and what exceeds a smaller bound`() throws {
        let server = try S3Server()
        let contents = (0..<3).map { [UInt8](repeating: $0, count: 100) }
        do {
            let store = try store(server.endpoint)
            try publish(contents, into: store)
            try Data([1]).write(to: URL(fileURLWithPath: "\(cachePath)/staging/fill-9"))
        }
        let store = try store(server.endpoint, capacity: 200)
        #expect(store.figures?.cachedFiles == 2 && store.figures?.cachedBytes == 200)
        #expect(try Folder.entries("\(cachePath)/staging").isEmpty)
    }

    @Test func `a folder with other files is refused as a cache, and so is the cache of another server`() throws {
        let server = try S3Server()
        let folder = "\(ScratchDirectory.path)/data"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: "\(folder)/larder.sqlite"))
        #expect { try store(server.endpoint, cache: folder) } throws: {
            ($0 as? PlatformError)?.code == .invalidRequest
        }
        let first = try store(server.endpoint)
        #expect { try store(server.endpoint) } throws: { ($0 as? PlatformError)?.code == .busy }
        withExtendedLifetime(first) {}
    }
}
