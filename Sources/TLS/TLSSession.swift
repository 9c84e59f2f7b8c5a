import CTLS

/// One TLS connection: sealed bytes in, plain bytes out, and the other way round; without I/O, but for the handshake of
/// one that may leave sealing to the kernel.
///
/// Belongs to one thread at a time. What it has to say to the peer, handshake included, is in its pipe after each call
/// and has to be sent before the next.
///
/// One that may leave sealing to the kernel writes its handshake to the socket itself, from which the kernel learns the
/// keys. After that it has a ``kernelSeal``, or all is as with any other session.
package final class TLSSession {
    /// Who seals what is sent.
    private enum Sealing {
        /// OpenSSL, into the pipe.
        case session
        /// Nobody yet: the handshake goes to the socket, and the pipe stays empty.
        case undecided
        /// The kernel, from now on; what OpenSSL itself has to say goes to the socket.
        case kernel(KernelSeal)
        /// Nobody: the socket is, or is about to be, that of another.
        case left
    }

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
    private var sealing = Sealing.session

    /// Takes over what OpenSSL made.
    ///
    /// - Parameter socket: that of the connection, where the kernel may seal. The session never closes it.
    init(
        owning handle: OpaquePointer, through pipe: TLSPipe, sealingIn socket: Int32? = nil, of owner: AnyObject
    ) throws(TLSError) {
        self.handle = handle
        self.pipe = pipe
        self.owner = owner
        let bio = try pipe.makeBIO()
        // Both directions share the one reference.
        SSL_set_bio(handle, bio, bio)
        guard let socket else { return }
        SSL_set0_wbio(handle, try OpenSSLErrors.unwrap("BIO_new_socket", BIO_new_socket(socket, BIO_NOCLOSE)))
        ctls_ask_kernel_to_seal(handle)
        sealing = .undecided
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
                    if sealsInstead() { continue }
                    outcome = self.outcome()
                    return
                }
                total += count
            }
        }
        decideSealing()
        guard case .bytes = outcome else { return total > 0 && outcome == .ended ? .bytes(total) : outcome }
        return isTaken ? .bytes(total) : .failed(reason: "more plain bytes than fit")
    }

    /// Seals plain bytes, at most ``TLSPipe/sealableBytes``, into the pipe; false when the session is broken.
    ///
    /// Only for as long as there is no ``kernelSeal``.
    package func seal(_ plain: UnsafeRawBufferPointer) -> Bool {
        precondition(plain.count <= TLSPipe.sealableBytes)
        guard !plain.isEmpty else { return true }
        guard case .session = sealing else { return false }
        var count = 0
        guard SSL_write_ex(handle, plain.baseAddress, plain.count, &count) == 1, count == plain.count else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// Says that nothing more comes, once, however often it is called; false while the socket of a session with a
    /// ``kernelSeal`` takes nothing.
    @discardableResult
    package func finish() -> Bool {
        guard isEstablished else { return true }
        // What an earlier call left would be taken for this one's.
        ERR_clear_error()
        let result = SSL_shutdown(handle)
        defer { ERR_clear_error() }
        return result >= 0 || SSL_get_error(handle, result) != SSL_ERROR_WANT_WRITE
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

/// The kernel's word that it seals what is written to the socket of a session; nothing but that session makes one.
package struct KernelSeal: Sendable {
    fileprivate init() {}
}

extension TLSSession {
    /// Proves that the kernel seals: plain bytes are to be written to the socket as they are.
    ///
    /// All that OpenSSL had to say until then is with the kernel.
    package var kernelSeal: KernelSeal? {
        if case .kernel(let seal) = sealing { seal } else { nil }
    }

    /// Whether the peer asked for new keys (`KeyUpdate`, RFC 8446 §4.6.3) that the kernel cannot have: no plain byte may
    /// be sent any more, and the session can only be finished.
    package var isOutOfKeys: Bool {
        kernelSeal != nil && SSL_get_key_update_type(handle) != SSL_KEY_UPDATE_NONE
    }

    /// Writes nothing to the socket from now on: its number may soon be that of another.
    ///
    /// To be called before the socket is closed; the session is of no more use then.
    package func leaveSocket() {
        sealIntoPipe()
        sealing = .left
    }

    /// Once the handshake is done, takes the kernel's word, or the sealing back from it.
    private func decideSealing() {
        guard case .undecided = sealing, isEstablished else { return }
        if ctls_kernel_seals(SSL_get_wbio(handle)) == 1 { sealing = .kernel(KernelSeal()) } else { sealIntoPipe() }
    }

    /// Seals a session itself after all, where its socket takes no more of the handshake, and the kernel has no keys yet;
    /// whether it does.
    ///
    /// What the socket did not take goes into the pipe.
    private func sealsInstead() -> Bool {
        guard case .undecided = sealing, SSL_get_error(handle, 0) == SSL_ERROR_WANT_WRITE,
            ctls_kernel_seals(SSL_get_wbio(handle)) == 0
        else { return false }
        sealIntoPipe()
        return true
    }

    private func sealIntoPipe() {
        if case .session = sealing { return }
        let bio = SSL_get_rbio(handle)
        BIO_up_ref(bio)
        SSL_set0_wbio(handle, bio)
        sealing = .session
    }
}
