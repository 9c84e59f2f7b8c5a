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
