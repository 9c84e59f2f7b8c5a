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
            return error?.code == .busy && error?.message.contains("in 15 minutes") == true
        }
        #expect(!server.requests.contains { $0.method == "PUT" && isBlob($0) })
        try publish([[2]], into: store)
        timing.advance(by: RemoteLimits.deletionTime)
        try publish([[1]], into: store)
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
