import CTLS

/// One TLS connection, without I/O: sealed bytes in, plain bytes out, and the other way round.
///
/// Belongs to one thread at a time. What it has to say to the peer, handshake included, is in its pipe after each call
/// and has to be sent before the next.
package final class TLSSession {
    /// What came of sealed bytes.
    package enum Opened: Hashable {
        /// So many plain bytes; with none, more has to come first.
        case bytes(Int)
        /// The peer said that nothing more comes (`close_notify`, RFC 8446 §6.1).
        case ended
        /// The bytes are no TLS, or none that is agreed to. The pipe may hold an alert for the peer.
        case failed(reason: String)
        /// The peer's certificate is not one for it, or nobody who is trusted vouches for it.
        case untrusted(reason: String)
    }

    /// So many sealed bytes may be handed in at a time.
    package static let sealedBytes = 40 << 10
    /// A buffer of so many bytes always takes what comes out of ``sealedBytes`` and of what was kept before them.
    package static let openingRoom = 64 << 10

    let handle: OpaquePointer
    private let pipe: TLSPipe
    /// Keeps what the callbacks of the context refer to.
    private let owner: AnyObject

    /// Takes over what OpenSSL made.
    init(owning handle: OpaquePointer, through pipe: TLSPipe, of owner: AnyObject) throws(TLSError) {
        self.handle = handle
        self.pipe = pipe
        self.owner = owner
        let bio = try pipe.makeBIO()
        // Both directions share the one reference.
        SSL_set_bio(handle, bio, bio)
    }

    deinit {
        SSL_free(handle)
    }

    /// Whether the handshake is done.
    package var isEstablished: Bool { SSL_is_init_finished(handle) == 1 }

    /// Whether the peer said that nothing more comes; what came before it is opened by then.
    package var isEnded: Bool { SSL_get_shutdown(handle) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Whether a session from before was taken up again, without certificates.
    package var isResumed: Bool { SSL_session_reused(handle) == 1 }

    /// Opens sealed bytes, at most ``sealedBytes`` of them, into a buffer of at least ``openingRoom``.
    ///
    /// All are taken; what makes no whole record yet is kept.
    package func open(_ sealed: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer) -> Opened {
        precondition(sealed.count <= Self.sealedBytes && plain.count >= Self.openingRoom)
        var total = 0
        var outcome = Opened.bytes(0)
        // What an earlier call left would be taken for this one's.
        ERR_clear_error()
        let isTaken = pipe.lend(sealed) {
            while total < plain.count {
                let room = UnsafeMutableRawBufferPointer(rebasing: plain[total...])
                var count = 0
                guard SSL_read_ex(handle, room.baseAddress, room.count, &count) == 1 else {
                    outcome = self.outcome()
                    return
                }
                total += count
            }
        }
        guard case .bytes = outcome else { return total > 0 && outcome == .ended ? .bytes(total) : outcome }
        return isTaken ? .bytes(total) : .failed(reason: "more plain bytes than fit")
    }

    /// Seals plain bytes, at most ``TLSPipe/sealableBytes``, into the pipe; false when the session is broken.
    package func seal(_ plain: UnsafeRawBufferPointer) -> Bool {
        precondition(plain.count <= TLSPipe.sealableBytes)
        guard !plain.isEmpty else { return true }
        var count = 0
        guard SSL_write_ex(handle, plain.baseAddress, plain.count, &count) == 1, count == plain.count else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// Says that nothing more comes.
    package func finish() {
        guard isEstablished else { return }
        SSL_shutdown(handle)
        ERR_clear_error()
    }

    /// What was wrong with the peer's certificate, or else what OpenSSL says.
    private func failure() -> Opened {
        let reason = OpenSSLErrors.take()
        let verdict = SSL_get_verify_result(handle)
        guard verdict != X509_V_OK, let text = X509_verify_cert_error_string(verdict) else {
            return .failed(reason: reason)
        }
        return .untrusted(reason: String(cString: text))
    }

    private func outcome() -> Opened {
        switch SSL_get_error(handle, 0) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .bytes(0)
        case SSL_ERROR_ZERO_RETURN: .ended
        default: failure()
        }
    }
}
