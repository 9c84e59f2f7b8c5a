import Artifacts
import Domain
import Glibc
import Ground
import Synchronization
import TestKit
import Transport

@testable import Store

/// Clocks that only move when a client sleeps, and a record of its pauses.
final class ManualTiming: Sendable {
    private let state = Mutex((elapsed: Duration.zero, pauses: [Duration]()))
    private let start: Timestamp

    init(_ start: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        self.start = start
    }

    var pauses: [Duration] { state.withLock { $0.pauses } }

    func advance(by duration: Duration) { state.withLock { $0.elapsed += duration } }

    var elapsed: Duration { state.withLock { $0.elapsed } }

    /// The timing, whose random numbers are the largest possible.
    var timing: S3Timing {
        S3Timing(
            now: { [start, self] in start.adding(milliseconds: Int64(elapsed / .milliseconds(1))) },
            elapsed: { [self] in elapsed },
            sleep: { [self] duration in
                state.withLock { state in
                    state.elapsed += duration
                    state.pauses.append(duration)
                }
            },
            random: { $0 })
    }
}

/// A client of a bucket of a test.
func bucketClient(
    _ endpoint: String, bucket: String = S3Server.bucket, prefix: String = "", isPathStyle: Bool = true,
    accessKey: String = S3Server.accessKey, secretKey: String = S3Server.secretKey, timing: S3Timing? = nil,
    timeouts: TransportTimeouts = TransportTimeouts(), log: RecordingLog = RecordingLog()
) throws -> S3Client {
    guard let credentials = S3Credentials(accessKey: accessKey, secretKey: secretKey) else {
        throw S3Address.Fault.location
    }
    return S3Client(
        try S3Address("s3://\(bucket)/\(prefix)", endpoint: endpoint, region: "", isPathStyle: isPathStyle),
        credentials: credentials, http: HTTPClient(timeouts: timeouts, keptHandles: S3Client.concurrency),
        cryptography: OpenSSLCryptography(), timing: timing ?? .system(now: { Timestamp.ofSystem }), log: log)
}

extension Timestamp {
    /// The time of the system.
    static var ofSystem: Timestamp { Timestamp(milliseconds: Int64(time(nil)) * 1000) }
}

extension SHA256Digest {
    static func of(_ bytes: [UInt8]) -> SHA256Digest { OpenSSLCryptography().sha256(bytes) }
}

/// An XML error of S3.
func refusal(_ code: String) -> [UInt8] {
    Array("<?xml version='1.0'?><Error><Code>\(code)</Code><Message>Said so</Message></Error>".utf8)
}

/// A store of the blobs of a test, below the prefix `p`.
func bucketStore(
    _ endpoint: String, prefix: RemoteBlobStore.Prefix = .new, cache: String = "\(ScratchDirectory.path)/cache",
    capacity: Int = 1 << 30, epoch: String = "one", delivery: BlobDelivery = .proxy, timing: S3Timing? = nil,
    timeouts: TransportTimeouts = TransportTimeouts(), log: RecordingLog = RecordingLog()
) throws -> RemoteBlobStore {
    let timing = timing ?? .system(now: { Timestamp.ofSystem })
    return try RemoteBlobStore(
        try bucketClient(endpoint, prefix: "p", timing: timing, timeouts: timeouts, log: log), epoch: epoch,
        prefix: prefix, cache: cache, capacity: capacity, delivery: delivery, elapsed: timing.elapsed, log: log)
}

func publish(_ contents: [[UInt8]], into store: RemoteBlobStore) throws {
    let staging = try store.stage()
    defer { staging.discard() }
    for bytes in contents { try staging.addBlob(bytes, as: .of(bytes)) }
    try staging.commit()
}

/// A scripted bucket with a marker and the objects of `replies`, which has precedence.
func scriptedBucket(_ replies: @escaping @Sendable (TinyServer.Request) -> TinyServer.Reply?) -> TinyServer {
    let marker = Mutex<[UInt8]?>(nil)
    return TinyServer { request in
        if let reply = replies(request) { return reply }
        switch (request.method, request.path.hasSuffix("larder.json")) {
        case ("PUT", true):
            marker.withLock { $0 = request.body }
            return .response(200)
        case ("GET", true):
            return marker.withLock { $0.map { .response(200, [:], $0) } }
                ?? .response(404, [:], refusal("NoSuchKey"))
        case ("PUT", _): return .response(200)
        case ("DELETE", _): return .response(204)
        default: return .response(404, [:], refusal("NoSuchKey"))
        }
    }
}
