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

/// Requests to a real server.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct S3ServerTests {
    private func file(_ bytes: [UInt8]) throws -> String {
        let path = "\(ScratchDirectory.path)/file"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func get(_ key: String, by client: S3Client) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        let object = try client.get(key, onHead: { _ in bytes = [] }, onBytes: { bytes += $0 })
        #expect(object.map { $0.size == bytes.count } ?? true)
        return object.map { _ in bytes }
    }

    @Test func `an object is put, described, got and deleted`() throws {
        let server = try S3Server()
        let client = try bucketClient(server.endpoint)
        let bytes = Array("some bytes".utf8)
        #expect(try client.head("a/b") == nil && client.read("a/b") == nil && get("a/b", by: client) == nil)
        try client.put("a/b", file: try file(bytes), size: bytes.count, digest: .of(bytes))
        let object = try #require(try client.head("a/b"))
        #expect(object.size == bytes.count && object.modified != nil)
        #expect(try client.read("a/b") == bytes && get("a/b", by: client) == bytes)
        try client.delete("a/b")
        try client.delete("a/b")
        #expect(try client.head("a/b") == nil)
    }

    @Test func `the bucket may be in the host name`() throws {
        let server = try S3Server()
        let client = try bucketClient("http://localhost:\(server.port)", isPathStyle: false)
        #expect(try client.create("a b", [1]))
        #expect(try client.read("a b") == [1])
    }

    @Test func `the server refuses bytes that differ from the signed digest`() throws {
        let server = try S3Server()
        let client = try bucketClient(server.endpoint)
        #expect(throws: S3Error.self) {
            try client.put("x", file: try file([1, 2, 3]), size: 3, digest: .of([1, 2, 4]))
        }
        #expect(try client.head("x") == nil)
    }

    @Test func `a large object is uploaded in parts`() throws {
        let server = try S3Server()
        let client = try bucketClient(server.endpoint)
        let bytes = (0..<(2 * S3Client.partSize + 12_345)).map { UInt8(truncatingIfNeeded: $0 >> 12 ^ $0) }
        try client.put("large", file: try file(bytes), size: bytes.count, digest: .of(bytes))
        #expect(try client.head("large")?.size == bytes.count)
        #expect(try get("large", by: client) == bytes)
        let counts = try server.takeCounts()
        #expect(counts["PUT"] == 3 && counts["POST"] == 2)
    }

    @Test func `an object is created once`() throws {
        let server = try S3Server()
        let client = try bucketClient(server.endpoint)
        #expect(try client.create("marker", [1]))
        #expect(try !client.create("marker", [2]))
        #expect(try client.read("marker") == [1])
    }

    @Test func `wrong credentials, rights and buckets are distinguished`() throws {
        let server = try S3Server()
        let secret = try bucketClient(server.endpoint, secretKey: "wrong")
        #expect { try secret.read("x") } throws: {
            if case S3Error.denied("SignatureDoesNotMatch", _) = $0 { true } else { false }
        }
        let stranger = try bucketClient(
            server.endpoint, accessKey: S3Server.strangerKey, secretKey: S3Server.strangerSecret)
        #expect { try stranger.read("x") } throws: {
            if case S3Error.denied("AccessDenied", _) = $0 { true } else { false }
        }
        let other = try bucketClient(server.endpoint, bucket: "other")
        #expect(throws: S3Error.noBucket("other")) { try other.read("x") }
    }

    @Test func `a clock that is 20 minutes off is corrected by the clock of the server`() throws {
        let server = try S3Server(clockOffset: 1_200)
        let log = RecordingLog()
        let client = try bucketClient(server.endpoint, log: log)
        #expect(try client.read("x") == nil)
        #expect(try client.head("x") == nil)
        let lines = log.all.filter { $0.hasPrefix("bucket.clock") }
        #expect(lines.count == 1 && lines[0].contains("behind the clock of the bucket's server"))
    }
}

/// Failures of a scripted server.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct S3FailureTests {
    /// Returns a server that sends these replies one after the other, and the last one forever.
    private func server(_ replies: [TinyServer.Reply]) -> TinyServer {
        let next = Atomic(0)
        return TinyServer { _ in
            replies[min(next.add(1, ordering: .relaxed).oldValue, replies.count - 1)]
        }
    }

    private func bytes(of key: String, by client: S3Client) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        let object = try client.get(key, onHead: { _ in bytes = [] }, onBytes: { bytes += $0 })
        return object.map { _ in bytes }
    }

    @Test func `a failing server is asked again after growing pauses`() throws {
        let server = server([
            .response(503, [:], refusal("SlowDown")), .response(500), .raw([]), .response(429),
            .response(200, [:], [7]),
        ])
        let timing = ManualTiming()
        let client = try bucketClient(server.base, timing: timing.timing)
        #expect(try client.read("x") == [7])
        #expect(timing.pauses == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(server.requests.count == 5)
    }

    @Test func `attempts are bounded, and the error says what failed`() throws {
        let server = server([.response(503, [:], refusal("SlowDown"))])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect(throws: S3Error.unavailable(status: 503, code: "SlowDown")) { try client.read("x") }
        #expect(server.requests.count == S3Retries().attempts)
    }

    @Test func `the circuit breaker suspends requests until the server has recovered`() throws {
        let isDown = Atomic(true)
        let server = TinyServer { _ in
            isDown.load(ordering: .relaxed) ? .response(500) : .response(200, [:], [1])
        }
        let (timing, log) = (ManualTiming(), RecordingLog())
        let client = try bucketClient(server.base, timing: timing.timing, log: log)
        #expect(throws: S3Error.self) { try client.read("x") }
        #expect(throws: S3Error.suspended) { try client.read("x") }
        #expect(server.requests.count == CircuitBreaker.failureLimit)
        #expect(throws: S3Error.suspended) { try client.read("x") }
        #expect(server.requests.count == CircuitBreaker.failureLimit)
        isDown.store(false, ordering: .relaxed)
        timing.advance(by: CircuitBreaker.openTime)
        #expect(try client.read("x") == [1])
        #expect(
            log.all.map { String($0.prefix { $0 != " " }) } == [
                "bucket.failed", "bucket.unavailable", "bucket.available",
            ])
    }

    @Test func `a body that is cut in the middle is read again from its beginning`() throws {
        let server = server([
            .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab".utf8)),
            .response(200, [:], Array("abcd".utf8)),
        ])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect(try bytes(of: "x", by: client) == Array("abcd".utf8))
    }

    @Test func `a silent server is asked again, until the total time ends`() throws {
        let timing = ManualTiming()
        let server = TinyServer { _ in
            timing.advance(by: S3Client.timeouts.response)
            return .silence
        }
        let client = try bucketClient(
            server.base, timing: timing.timing, timeouts: TransportTimeouts(response: .milliseconds(500)))
        #expect { try client.read("x") } throws: { if case S3Error.unreachable = $0 { true } else { false } }
        // Each silence takes 8 of the 30 seconds.
        #expect(server.requests.count == 4)
    }

    @Test func `a refusal is not repeated`() throws {
        let server = server([.response(403, [:], refusal("AccessDenied"))])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect(throws: S3Error.denied(code: "AccessDenied", message: "Said so")) { try client.read("x") }
        #expect(server.requests.count == 1)
    }

    @Test func `a clock that stays skewed after one correction is an error that says what to do`() throws {
        let server = server([
            .response(403, ["Date": "Thu, 01 Jan 2026 00:20:00 GMT"], refusal("RequestTimeTooSkewed"))
        ])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect { try client.read("x") } throws: { "\($0)".contains("Set the clock") }
        #expect(server.requests.count == 2)
        #expect(server.requests[0].fields["x-amz-date"] == "20260101T000000Z")
        #expect(server.requests[1].fields["x-amz-date"] == "20260101T002000Z")
    }

    @Test func `a server that does not implement the condition of a creation gets none`() throws {
        let server = server([.response(501, [:], refusal("NotImplemented")), .response(200)])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect(try client.create("marker", [1]))
        #expect(server.requests.map { $0.fields["if-none-match"] } == ["*", nil])
    }

    @Test func `an object that arrives too slowly is given up`() throws {
        let timing = ManualTiming()
        let server = TinyServer { _ in
            timing.advance(by: S3Client.smallTimeLimit + .seconds(1))
            return .response(200, [:], [1, 2, 3])
        }
        let client = try bucketClient(server.base, timing: timing.timing)
        #expect { try bytes(of: "x", by: client) } throws: { "\($0)".contains("too slowly") }
    }

    @Test func `the region of the bucket is named`() throws {
        let server = server([.response(301, ["x-amz-bucket-region": "eu-west-1"], refusal("PermanentRedirect"))])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect { try client.head("x") } throws: { "\($0)".contains("--s3-region eu-west-1") }
    }

    @Test func `an upload in parts that fails is aborted`() throws {
        let server = TinyServer { request in
            switch (request.method, request.query) {
            case ("POST", "uploads="): .response(200, [:], Array("<R><UploadId>u</UploadId></R>".utf8))
            case ("PUT", _): .response(403, [:], refusal("AccessDenied"))
            default: .response(204)
            }
        }
        let path = "\(ScratchDirectory.path)/file"
        try Data(count: S3Client.partSize + 1).write(to: URL(fileURLWithPath: path))
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect(throws: S3Error.self) {
            try client.put("x", file: path, size: S3Client.partSize + 1, digest: .of([]))
        }
        #expect(server.requests.map(\.method) == ["POST", "PUT", "DELETE"])
        #expect(server.requests[2].query == "uploadId=u")
    }

    /// Uploads two parts to a server that sends this reply to the completion.
    private func upload(
        completing: @escaping @Sendable (Int) -> TinyServer.Reply, storing size: Int?
    ) throws -> TinyServer {
        let completions = Atomic(0)
        let server = TinyServer { request in
            switch (request.method, request.query) {
            case ("POST", "uploads="): .response(200, [:], Array("<R><UploadId>u</UploadId></R>".utf8))
            case ("POST", _): completing(completions.add(1, ordering: .relaxed).newValue)
            case ("PUT", _): .response(200, ["ETag": "e"])
            case ("HEAD", _):
                size.map { .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: \($0)\r\n\r\n".utf8)) } ?? .response(404)
            default: .response(204)
            }
        }
        let path = "\(ScratchDirectory.path)/file"
        try Data(count: S3Client.partSize + 1).write(to: URL(fileURLWithPath: path))
        try bucketClient(server.base, timing: ManualTiming().timing).put(
            "x", file: path, size: S3Client.partSize + 1, digest: .of([]))
        return server
    }

    @Test func `a completion counts only if the object has its size afterwards`() throws {
        #expect(throws: S3Error.self) { try upload(completing: { _ in .response(404) }, storing: nil) }
        #expect(throws: S3Error.self) { try upload(completing: { _ in .response(200) }, storing: nil) }
        #expect(throws: S3Error.self) { try upload(completing: { _ in .response(200) }, storing: 3) }
        #expect(throws: S3Error.unavailable(status: 200, code: "InternalError")) {
            try upload(completing: { _ in .response(200, [:], refusal("InternalError")) }, storing: nil)
        }
        #expect(throws: S3Error.self) {
            try upload(completing: { _ in .response(404, [:], refusal("NoSuchUpload")) }, storing: nil)
        }
    }

    @Test func `a completion whose response was lost counts if the object is complete`() throws {
        let server = try upload(
            completing: { $0 == 1 ? .raw([]) : .response(404, [:], refusal("NoSuchUpload")) },
            storing: S3Client.partSize + 1)
        #expect(server.requests.last?.method == "HEAD")
    }

    @Test func `a completion that fails in its body is repeated within the bounds`() throws {
        let server = try upload(
            completing: { $0 < 3 ? .response(200, [:], refusal("InternalError")) : .response(200) },
            storing: S3Client.partSize + 1)
        #expect(server.requests.suffix(4).map(\.method) == ["POST", "POST", "POST", "HEAD"])
    }

    @Test func `an error document is read up to a limit and shown without control characters`() throws {
        let code = String(repeating: "x", count: 1_000)
        let server = server([.response(400, [:], refusal("\u{1B}[2J\(code)"))])
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        #expect { try client.read("x") } throws: {
            let text = "\($0)"
            return text.utf8.count < 200 && !text.contains("\u{1B}")
        }
        let endless = self.server([.response(403, [:], refusal("AccessDenied") + Array(repeating: 32, count: 9 << 20))])
        let other = try bucketClient(endless.base, timing: ManualTiming().timing)
        #expect(throws: S3Error.denied(code: "AccessDenied", message: "Said so")) { try bytes(of: "x", by: other) }
    }

    @Test func `an error document that arrives too slowly is given up`() throws {
        let timing = ManualTiming()
        let server = TinyServer { _ in
            timing.advance(by: S3Client.smallTimeLimit + .seconds(1))
            return .response(403, [:], refusal("AccessDenied"))
        }
        let client = try bucketClient(server.base, timing: timing.timing)
        #expect { try bytes(of: "x", by: client) } throws: { "\($0)".contains("too slowly") }
    }

    @Test func `concurrent requests correct the clock once`() throws {
        let arrived = DispatchGroup()
        for _ in 0..<2 { arrived.enter() }
        let count = Atomic(0)
        let server = TinyServer { request in
            guard count.add(1, ordering: .relaxed).newValue <= 2 else { return .response(200, [:], [1]) }
            arrived.leave()
            arrived.wait()
            return .response(
                403, ["Date": "Thu, 01 Jan 2026 00:20:00 GMT"], refusal("RequestTimeTooSkewed"))
        }
        let client = try bucketClient(server.base, timing: ManualTiming().timing)
        try S3Client.forEach(["a", "b"]) { (key) throws(S3Error) in _ = try client.read(key) }
        #expect(
            server.requests.dropFirst(2).map { $0.fields["x-amz-date"] } == ["20260101T002000Z", "20260101T002000Z"])
    }

    @Test func `a local file says nothing about the server`() throws {
        let server = server([.response(500)])
        let timing = ManualTiming()
        let client = try bucketClient(server.base, timing: timing.timing)
        let absent = "\(ScratchDirectory.path)/absent"
        #expect(throws: S3Error.unavailable(status: 500, code: "")) { try client.read("x") }
        #expect { try client.put("x", file: absent, size: 1, digest: .of([1])) } throws: {
            if case S3Error.localFile = $0 { true } else { false }
        }
        #expect(throws: S3Error.suspended) { try client.read("x") }
        #expect(server.requests.count == CircuitBreaker.failureLimit)
    }
}
