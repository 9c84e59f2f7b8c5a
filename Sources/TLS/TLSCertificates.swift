import CTLS
import Glibc
import Synchronization

/// The paths of a certificate with its chain and of its private key.
package struct TLSCertificateFiles: Sendable, Hashable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The certificates of a server, which may be replaced while sessions continue.
///
/// The server name that the client indicates selects one of them; the first is the default. Sessions keep the
/// certificates with which they began.
package final class TLSCertificates: Sendable {
    private let files: [TLSCertificateFiles]
    private let state: Mutex<State>

    private struct State {
        var choice: TLSChoice
        var stamps: [FileStamp?]
        var loaded: ContinuousClock.Instant
    }

    /// The time after which the certificates are loaded again even if unchanged.
    ///
    /// Loading also changes the keys of the session tickets, so that a stolen key decrypts the sessions of one day at
    /// most.
    package static let lifetime: Duration = .seconds(24 * 3600)

    /// Loads the files, of which there has to be at least one pair.
    package init(_ files: [TLSCertificateFiles]) throws(TLSError) {
        precondition(!files.isEmpty, "a server needs a certificate")
        self.files = files
        state = Mutex(try Self.load(files))
    }

    /// Loads the files again.
    ///
    /// If that fails, the loaded certificates stay.
    package func reload() throws(TLSError) {
        let loaded = try Self.load(files)
        state.withLock { $0 = loaded }
    }

    /// Loads the files again if one of them has changed or ``lifetime`` has passed; returns whether it did.
    ///
    /// An unusable file is tried again with each call.
    package func reloadIfDue(at now: ContinuousClock.Instant = .now) throws(TLSError) -> Bool {
        let stamps = files.flatMap { [FileStamp($0.certificate), FileStamp($0.key)] }
        let isDue = state.withLock { $0.stamps != stamps || now - $0.loaded >= Self.lifetime }
        if isDue { try reload() }
        return isDue
    }

    /// Begins the server's side of a session.
    ///
    /// - Parameter socket: The connection's non-blocking socket, if the kernel may encrypt its output
    ///   (``TLSSession/kernelSeal``).
    package func begin(through pipe: TLSPipe, sealingIn socket: Int32? = nil) throws(TLSError) -> TLSSession {
        let choice = state.withLock { $0.choice }
        let handle = try OpenSSLErrors.unwrap("SSL_new", SSL_new(choice.first.handle))
        SSL_set_accept_state(handle)
        return try TLSSession(owning: handle, through: pipe, sealingIn: socket, of: choice)
    }

    /// The second of Unix time after which the first of the certificates is no longer valid; `nil` if it is unknown.
    package var end: Int64? { state.withLock { $0.choice }.end }

    private static func load(_ files: [TLSCertificateFiles]) throws(TLSError) -> State {
        // The stamps come first: a file that changes meanwhile is noticed the next time.
        let stamps = files.flatMap { [FileStamp($0.certificate), FileStamp($0.key)] }
        var contexts: [TLSContext] = []
        for pair in files { contexts.append(try TLSContext.server(pair)) }
        return State(choice: TLSChoice(contexts), stamps: stamps, loaded: .now)
    }
}

/// A set of certificates, of which the first is the default.
final class TLSChoice: Sendable {
    let first: TLSContext
    private let contexts: [TLSContext]

    init(_ contexts: [TLSContext]) {
        self.contexts = contexts
        first = contexts[0]
        // Not retained: every session holds the choice as long as the callback may run.
        ctls_set_name_callback(first.handle, choose, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The end of the certificate that ends first.
    fileprivate var end: Int64? { contexts.compactMap(\.end).min() }

    fileprivate func context(for name: UnsafePointer<CChar>) -> TLSContext? {
        contexts.first { $0.isFor(name) }
    }
}

/// Selects the certificate for the server name that the client indicates, if there is one.
private func choose(
    session: OpaquePointer?, alert: UnsafeMutablePointer<Int32>?, argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session, let argument, let name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name) else {
        return SSL_TLSEXT_ERR_NOACK
    }
    let choice = Unmanaged<TLSChoice>.fromOpaque(argument).takeUnretainedValue()
    guard let context = choice.context(for: name) else { return SSL_TLSEXT_ERR_NOACK }
    SSL_set_SSL_CTX(session, context.handle)
    return SSL_TLSEXT_ERR_OK
}

/// The values by which a replaced or changed file is recognised.
private struct FileStamp: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let modified: [Int]

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}
