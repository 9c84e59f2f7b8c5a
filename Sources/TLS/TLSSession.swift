import CTLS

/// One TLS connection without I/O, which converts encrypted to plain bytes and back.
///
/// Belongs to one thread at a time. After each call the messages for the peer, those of the handshake included, are in
/// the pipe and have to be sent before the next call.
///
/// A session that may leave encryption to the kernel writes its handshake to the socket itself, from which the kernel
/// learns the keys. Afterwards it has a ``kernelSeal``, or continues like any other session.
package final class TLSSession {
    /// The component that encrypts the output.
    private enum Sealing {
        /// OpenSSL, into the pipe.
        case session
        /// Undecided: the handshake goes to the socket, and the pipe stays empty.
        case undecided
        /// The kernel; OpenSSL's own messages go to the socket.
        case kernel(KernelSeal)
        /// Nothing encrypts, since the socket is closed or about to be.
        case left
    }

    /// The result of decrypting bytes.
    package enum Opened: Hashable {
        /// The number of plain bytes; with zero, more input is needed.
        case bytes(Int)
        /// The peer has ended its stream (`close_notify`, RFC 8446 §6.1).
        case ended
        /// The bytes are no TLS, or the parties share no protocol. The pipe may hold an alert for the peer.
        case failed(reason: String)
    }

    /// The maximum number of encrypted bytes in one call.
    package static let sealedBytes = 40 << 10
    /// The size of a buffer that holds the plain bytes of ``sealedBytes`` and of incomplete records before them.
    package static let openingRoom = 64 << 10

    let handle: OpaquePointer
    private let pipe: TLSPipe
    /// The object that the context's callbacks refer to.
    private let owner: AnyObject
    private var sealing = Sealing.session

    /// Takes ownership of a session of OpenSSL.
    ///
    /// - Parameter socket: The connection's socket if the kernel may encrypt. The session never closes it.
    package init(
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

    /// Whether the peer has ended its stream; all bytes before the end have been decrypted by then.
    package var isEnded: Bool { SSL_get_shutdown(handle) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Whether the handshake resumed an earlier session, without certificates.
    package var isResumed: Bool { SSL_session_reused(handle) == 1 }

    /// Decrypts at most ``sealedBytes`` bytes into a buffer of at least ``openingRoom``.
    ///
    /// Consumes all of them and keeps an incomplete record.
    package func open(_ sealed: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer) -> Opened {
        precondition(sealed.count <= Self.sealedBytes && plain.count >= Self.openingRoom)
        var total = 0
        var outcome = Opened.bytes(0)
        // An error of an earlier call would be attributed to this one.
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

    /// Encrypts at most ``TLSPipe/sealableBytes`` plain bytes into the pipe; returns `false` if the session is broken.
    ///
    /// For sessions without a ``kernelSeal``.
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

    /// Sends `close_notify` once, even if called again; returns `false` while the socket of a session with a
    /// ``kernelSeal`` takes nothing.
    @discardableResult
    package func finish() -> Bool {
        guard isEstablished else { return true }
        // An error of an earlier call would be attributed to this one.
        ERR_clear_error()
        let result = SSL_shutdown(handle)
        defer { ERR_clear_error() }
        return result >= 0 || SSL_get_error(handle, result) != SSL_ERROR_WANT_WRITE
    }

    private func outcome() -> Opened {
        switch SSL_get_error(handle, 0) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .bytes(0)
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(reason: OpenSSLErrors.take())
        }
    }
}

/// A proof that the kernel encrypts what is written to a session's socket; only that session creates one.
package struct KernelSeal: Sendable {
    fileprivate init() {}
}

extension TLSSession {
    /// The proof that the kernel encrypts: the caller writes plain bytes to the socket.
    ///
    /// All earlier messages of OpenSSL are with the kernel.
    package var kernelSeal: KernelSeal? {
        if case .kernel(let seal) = sealing { seal } else { nil }
    }

    /// Whether the peer has requested new keys (`KeyUpdate`, RFC 8446 §4.6.3), which the kernel cannot take.
    ///
    /// No plain byte may be sent any more; the session can only be finished.
    package var isOutOfKeys: Bool {
        kernelSeal != nil && SSL_get_key_update_type(handle) != SSL_KEY_UPDATE_NONE
    }

    /// Stops writing to the socket, whose number may soon belong to another connection.
    ///
    /// Call it before closing the socket; the session is unusable afterwards.
    package func leaveSocket() {
        sealIntoPipe()
        sealing = .left
    }

    /// Decides once the handshake is done whether the kernel or OpenSSL encrypts.
    private func decideSealing() {
        guard case .undecided = sealing, isEstablished else { return }
        if ctls_kernel_seals(SSL_get_wbio(handle)) == 1 { sealing = .kernel(KernelSeal()) } else { sealIntoPipe() }
    }

    /// Switches to encryption by OpenSSL if the socket takes no more of the handshake and the kernel has no keys yet;
    /// returns whether it did.
    ///
    /// The rest that the socket did not take goes into the pipe.
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
