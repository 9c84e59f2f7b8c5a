import Domain
import Files
import Foundation
import Ground
import Synchronization
import TestKit
import Testing

@testable import Store

/// Faults of a bucket that could lose blobs.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct BucketFaultTests {
    private func isBlob(_ request: TinyServer.Request) -> Bool { request.path.contains("/blobs/") }

    private func open(
        _ endpoint: String, refersToBlobs: Bool = false, log: RecordingLog = RecordingLog()
    ) throws -> RemoteBlobStore {
        let data = "\(ScratchDirectory.path)/data"
        let place = BucketPlace(
            client: try bucketClient(endpoint, prefix: "p", log: log), cachePath: "\(data)/cache",
            cacheBytes: 1 << 20, elapsed: { .zero })
        return try place.open(
            for: try DataDirectory(data, at: .ofSystem), epoch: "one", refersToBlobs: refersToBlobs, log: log)
    }

    @Test func `a known bucket without the marker is refused and named`() throws {
        let server = try S3Server()
        try publish([[1]], into: try open(server.endpoint))
        let other = try S3Server(in: "\(ScratchDirectory.path)/other")
        #expect { try open(other.endpoint) } throws: {
            let error = $0 as? PlatformError
            return error?.code == .conflict
                && error?.message.contains("p/larder.json is missing in s3://larder/p/ at \(other.endpoint)") == true
        }
        #expect(try bucketClient(other.endpoint).head("p/larder.json") == nil)
    }

    @Test func `a database with blobs is refused by a bucket without the marker`() throws {
        let server = try S3Server()
        #expect { try open(server.endpoint, refersToBlobs: true) } throws: {
            ($0 as? PlatformError)?.code == .conflict
        }
        _ = try bucketClient(server.endpoint).create("p/larder.json", Array(#"{"epoch":"one"}"#.utf8))
        _ = try open(server.endpoint, refersToBlobs: true)
    }

    @Test func `a known bucket may be down at the start, and is checked before the first upload`() throws {
        let server = try S3Server()
        try publish([[1]], into: try open(server.endpoint))
        try server.goDown()
        let log = RecordingLog()
        let store = try open(server.endpoint, log: log)
        #expect(log.all.contains { $0.hasPrefix("bucket.unverified") })
        #expect(try store.open(.of([1]))?.contents() == [1])
        try server.comeBack()
        let client = try bucketClient(server.endpoint)
        try client.delete("p/larder.json")
        _ = try server.takeCounts()
        #expect { try publish([[2]], into: store) } throws: { ($0 as? PlatformError)?.code == .busy }
        #expect(throws: PlatformError.self) { try store.permitRemoval(at: .ofSystem) }
        #expect(try server.takeCounts()["PUT"] == nil)
        _ = try client.create("p/larder.json", Array(#"{"epoch":"one"}"#.utf8))
        try publish([[2]], into: store)
    }

    @Test func `an unused bucket that is down ends the start`() throws {
        let server = try S3Server()
        try server.goDown()
        #expect { try open(server.endpoint) } throws: { ($0 as? PlatformError)?.code == .busy }
    }

    @Test func `a blob is not published while its deletion may still be carried out`() throws {
        let isLost = Atomic(true)
        let server = scriptedBucket { request in
            request.method == "DELETE" && isBlob(request) && isLost.exchange(false, ordering: .relaxed)
                ? .raw([]) : nil
        }
        let timing = ManualTiming(.ofSystem)
        let store = try bucketStore(server.base, timing: timing.timing)
        #expect(store.condemn([.of([1])]) == [.of([1])])
        // The repetition of the deletion succeeds, and the first one may follow.
        #expect(try store.removeCondemned([.of([1])]) == 1)
        #expect { try publish([[1]], into: store) } throws: {
            let error = $0 as? PlatformError
            return error?.code == .busy && error?.message.contains("in 35 minutes") == true
        }
        #expect(!server.requests.contains { $0.method == "PUT" && isBlob($0) })
        try publish([[2]], into: store)
        // The deletion without a response was sent at once, and its repetition after a pause.
        timing.advance(by: RemoteLimits.deletionTime - timing.elapsed - .nanoseconds(1))
        #expect(throws: PlatformError.self) { try publish([[1]], into: store) }
        timing.advance(by: .nanoseconds(1))
        try publish([[1]], into: store)
    }

    @Test func `a deletion on a connection that ends without a response is sent once, or counts as lost`() throws {
        let deletions = Counter()
        // Keeps its connections open, and ends one on a second request.
        let listener = ListeningSocket()
        for _ in 0..<3 {
            Thread.start {
                while let connection = listener.accept() {
                    for number in 1...2 {
                        guard let line = try? connection.takeLine() else { break }
                        while let field = try? connection.takeLine(), !field.isEmpty {}
                        if line.hasPrefix("DELETE") { deletions.increment() }
                        if number == 1 { try? connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
                    }
                }
            }
        }
        defer { listener.shut() }
        let client = try bucketClient("http://127.0.0.1:\(listener.port)", timing: ManualTiming(.ofSystem).timing)
        let lost = Counter()
        _ = try client.head("kept")
        try client.delete("x", onLost: { lost.increment() })
        #expect(deletions.value == 1 + lost.value)
    }

    @Test func `a publishing repairs a damaged object`() throws {
        let object = Mutex<[UInt8]>([6, 6, 6])
        let server = scriptedBucket { request in
            guard isBlob(request) else { return nil }
            if request.method == "PUT" { object.withLock { $0 = request.body } }
            return .response(200, [:], request.method == "PUT" ? [] : object.withLock { $0 })
        }
        let timing = ManualTiming(.ofSystem)
        let store = try bucketStore(server.base, timing: timing.timing)
        #expect(throws: PlatformError.self) { try store.open(.of([1, 2, 3])) }
        timing.advance(by: RemoteLimits.absenceTime * 100)
        try publish([[1, 2, 3]], into: store)
        #expect(object.withLock { $0 } == [1, 2, 3])
    }

    @Test func `a cached file that cannot be removed does not keep the object`() throws {
        let server = try S3Server()
        let log = RecordingLog()
        let store = try bucketStore(server.endpoint, log: log)
        try publish([[1]], into: store)
        // A file in place of the folder.
        let shard = URL(fileURLWithPath: store.cache.folders.path(of: .of([1]))).deletingLastPathComponent()
        try FileManager.default.removeItem(at: shard)
        try Data().write(to: shard)
        #expect(store.condemn([.of([1])]) == [.of([1])])
        #expect(try store.removeCondemned([.of([1])]) == 1)
        #expect(log.all.contains { $0.hasPrefix("cache.unremoved") })
        #expect(try store.client.head(store.key(of: .of([1]))) == nil)
    }

    @Test(arguments: [
        (404, "NoSuchBucket", "The bucket 'larder' does not exist."), (403, "AccessDenied", "s3:GetObject"),
        (403, "InvalidAccessKeyId", "Check the access key"), (400, "ExpiredToken", "Check the access key"),
        (403, "RequestTimeTooSkewed", "Set the clock"), (301, "PermanentRedirect", "--s3-region"),
    ])
    func `a fault while the server runs is logged with what to do, and requests are refused for a while`(
        status: Int, code: String, advice: String
    ) throws {
        let server = scriptedBucket { request in
            isBlob(request) ? .response(status, ["Date": "Thu, 01 Jan 2026 00:20:00 GMT"], refusal(code)) : nil
        }
        let log = RecordingLog()
        let store = try bucketStore(server.base, timing: ManualTiming().timing, log: log)
        #expect { try store.open(.of([1])) } throws: { ($0 as? PlatformError)?.code == .busy }
        #expect(log.all.contains { $0.hasPrefix("bucket.failed") && $0.contains(advice) }, "\(log.all)")
        #expect { try publish([[1]], into: store) } throws: { ($0 as? PlatformError)?.code == .busy }
    }

    @Test func `a clock that becomes wrong while the server runs is corrected, and so is its correction`() throws {
        let refused = Mutex<[String]>([])
        let server = scriptedBucket { request in
            guard isBlob(request), request.method == "GET" else { return nil }
            // The first request for each object is refused: the clock goes wrong, and later becomes right.
            let number = refused.withLock { paths -> Int? in
                guard !paths.contains(request.path) else { return nil }
                paths.append(request.path)
                return paths.count
            }
            guard let number else {
                return .response(200, [:], request.path.hasSuffix(SHA256Digest.of([1]).hex) ? [1] : [2])
            }
            let time = "Thu, 01 Jan 2026 00:\(number == 1 ? "20" : "00"):00 GMT"
            return .response(403, ["Date": time], refusal("RequestTimeTooSkewed"))
        }
        let log = RecordingLog()
        let store = try bucketStore(server.base, timing: ManualTiming().timing, log: log)
        #expect(try store.open(.of([1]))?.contents() == [1])
        #expect(try store.open(.of([2]))?.contents() == [2])
        let lines = log.all.filter { $0.hasPrefix("bucket.clock") }
        #expect(lines.count == 2 && lines[0].contains("1200 seconds behind") && lines[1].contains("agree again"))
    }

    @Test func `a conflict with another request for the object is repeated`() throws {
        let isFirst = Atomic(true)
        let server = scriptedBucket { request in
            isBlob(request) && request.method == "PUT" && isFirst.exchange(false, ordering: .relaxed)
                ? .response(409, [:], refusal("OperationAborted")) : nil
        }
        let store = try bucketStore(server.base, timing: ManualTiming(.ofSystem).timing)
        try publish([[1]], into: store)
        #expect(server.requests.count { $0.method == "PUT" && isBlob($0) } == 2)
    }

    @Test func `a cache whose lock was taken closes it once if its folder cannot be used`() throws {
        let folder = "\(ScratchDirectory.path)/cache"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: "\(folder)/\(BlobCache.lockName)"))
        try Data().write(to: URL(fileURLWithPath: "\(folder)/blobs"))
        #expect(throws: PlatformError.self) { try BlobCache(folder, capacity: 1) }
        // The lock is free again.
        try FileManager.default.removeItem(atPath: "\(folder)/blobs")
        _ = try BlobCache(folder, capacity: 1)
    }

    @Test func `a fetch that finds no room in the cache is logged with what to do`() throws {
        let server = scriptedBucket { request in
            isBlob(request) && request.method == "GET" ? .response(200, [:], [1, 2, 3]) : nil
        }
        let log = RecordingLog()
        let store = try bucketStore(server.base, capacity: 4, timing: ManualTiming(.ofSystem).timing, log: log)
        var reservation = store.cache.reserve(2)
        let isReserved = reservation != nil
        #expect(isReserved)
        #expect { try store.open(.of([1, 2, 3])) } throws: { ($0 as? PlatformError)?.code == .busy }
        reservation = nil
        #expect(log.all.count { $0.hasPrefix("cache.busy") && $0.contains("--cache-bytes") } == 1)
        #expect(try store.open(.of([1, 2, 3])) != nil)
    }

    @Test func `a 404 of a proxy is no missing object`() throws {
        let server = scriptedBucket { request in
            isBlob(request) && request.method == "GET" ? .response(404, [:], Array("<html>".utf8)) : nil
        }
        let store = try bucketStore(server.base, timing: ManualTiming(.ofSystem).timing)
        #expect { try store.open(.of([1])) } throws: { ($0 as? PlatformError)?.code == .busy }
    }

    @Test(arguments: [(RemoteLimits.removalMilliseconds, 1), (RemoteLimits.removalMilliseconds + 1_000, 0)])
    func `nothing is deleted after the end of a permit`(milliseconds: Int64, deletions: Int) throws {
        let deleted = Counter()
        let server = scriptedBucket { request in
            if request.method == "DELETE", isBlob(request) { deleted.increment() }
            return nil
        }
        let (timing, log) = (ManualTiming(.ofSystem), RecordingLog())
        let store = try bucketStore(server.base, timing: timing.timing, log: log)
        try publish([[1]], into: store)
        let permit = try #require(try store.permitRemoval(at: .ofSystem))
        timing.advance(by: .milliseconds(milliseconds))
        #expect(store.condemn([.of([1])]) == [.of([1])])
        _ = try store.removeCondemned([.of([1])], under: permit)
        #expect(deleted.value == deletions)
        #expect(store.uncertainRemovals(among: [.of([1])]).isEmpty)
        #expect(log.all.contains { $0.contains("too long ago") } == (deletions == 0))
    }
}
