import COpenSSL
import Domain
import Synchronization

/// An incremental checksum, computed by OpenSSL.
final class ChecksumDigest: RunningDigest {
    private struct State: ~Copyable {
        /// The context; `nil` once finished.
        var context: DigestContext?
    }

    private let state: Mutex<State>

    /// Throws `internalError` if OpenSSL is configured without the algorithm.
    init(_ algorithm: Checksum.Algorithm) throws(PlatformError) {
        let method =
            switch algorithm {
            case .sha256: EVP_sha256()
            case .sha1: EVP_sha1()
            }
        guard let context = DigestContext(method) else {
            throw OpenSSLFailure.error(doing: "beginning a \(algorithm.rawValue)")
        }
        state = Mutex(State(context: context))
    }

    func update(_ bytes: [UInt8]) {
        state.withLock { state in
            bytes.withUnsafeBytes { state.context?.update($0) }
        }
    }

    func finish() -> [UInt8] {
        state.withLock { state in
            guard let context = state.context.take() else { preconditionFailure("a digest is finished once") }
            return context.finish()
        }
    }
}
