import CTLS
import Glibc
import Synchronization

/// Where a certificate, with the chain behind it, and its private key are.
package struct TLSCertificateFiles: Sendable, Hashable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The certificates of a server, which may be replaced while sessions go on.
///
/// The client's indicated name chooses among them; the first is for all others. Sessions end with the certificates that
/// they began with.
package final class TLSCertificates: Sendable {
    private let files: [TLSCertificateFiles]
    private let state: Mutex<State>

    private struct State {
        var choice: TLSChoice
        var stamps: [FileStamp?]
        var loaded: ContinuousClock.Instant
    }

    /// After so long the certificates are loaded again though they are the same: the keys that seal the tickets of
    /// sessions change with it, so that one stolen from memory opens a day's sessions and no more.
    package static let lifetime: Duration = .seconds(24 * 3600)

    /// Loads the files, of which there is at least one pair.
    package init(_ files: [TLSCertificateFiles]) throws(TLSError) {
        precondition(!files.isEmpty, "a server needs a certificate")
        self.files = files
        state = Mutex(try Self.load(files))
    }

    /// Loads the files again.
    ///
    /// If that fails, what was loaded before stays.
    package func reload() throws(TLSError) {
        let loaded = try Self.load(files)
        state.withLock { $0 = loaded }
    }

    /// Loads the files again if one of them is another than it was, or a lifetime has passed; whether it did.
    ///
    /// A file that cannot be used is tried again each time.
    package func reloadIfDue(at now: ContinuousClock.Instant = .now) throws(TLSError) -> Bool {
        let stamps = files.flatMap { [FileStamp($0.certificate), FileStamp($0.key)] }
        let isDue = state.withLock { $0.stamps != stamps || now - $0.loaded >= Self.lifetime }
        if isDue { try reload() }
        return isDue
    }

    /// Begins the server's side of a session.
    ///
    /// - Parameter socket: that of the connection, for the kernel to seal what is sent if it can
    ///   (``TLSSession/kernelSeal``); it has to be one that does not block.
    package func begin(through pipe: TLSPipe, sealingIn socket: Int32? = nil) throws(TLSError) -> TLSSession {
        let choice = state.withLock { $0.choice }
        let handle = try OpenSSLErrors.unwrap("SSL_new", SSL_new(choice.first.handle))
        SSL_set_accept_state(handle)
        return try TLSSession(owning: handle, through: pipe, sealingIn: socket, of: choice)
    }

    private static func load(_ files: [TLSCertificateFiles]) throws(TLSError) -> State {
        // Before the files: one that changes meanwhile is found out the next time.
        let stamps = files.flatMap { [FileStamp($0.certificate), FileStamp($0.key)] }
        var contexts: [TLSContext] = []
        for pair in files { contexts.append(try TLSContext.server(pair)) }
        return State(choice: TLSChoice(contexts), stamps: stamps, loaded: .now)
    }
}

/// Certificates that are used together, the first by default.
final class TLSChoice: Sendable {
    let first: TLSContext
    private let contexts: [TLSContext]

    init(_ contexts: [TLSContext]) {
        self.contexts = contexts
        first = contexts[0]
        // Not retained: every session holds the choice for as long as it may ask.
        ctls_set_name_callback(first.handle, choose, Unmanaged.passUnretained(self).toOpaque())
    }

    fileprivate func context(for name: UnsafePointer<CChar>) -> TLSContext? {
        contexts.first { $0.isFor(name) }
    }
}

/// Gives a session the certificate for the name that its client indicates, if there is one.
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

/// What tells that a file is another one, or was written to.
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
