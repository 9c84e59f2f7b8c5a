import CTLS
import Glibc

/// The shared configuration of sessions, released with the last of them.
///
/// `@unchecked Sendable`: the context is set up before it is shared; from then on OpenSSL synchronises the changes of
/// sessions.
final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer

    private init(_ method: OpaquePointer) throws(TLSError) {
        handle = try OpenSSLErrors.unwrap("SSL_CTX_new", SSL_CTX_new(method))
        try OpenSSLErrors.check("SSL_CTX_set_min_proto_version", ctls_set_lowest_version(handle, TLS1_2_VERSION))
        // Requires forward secrecy and authenticated encryption, which TLS 1.3 always has.
        let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
        try OpenSSLErrors.check("SSL_CTX_set_cipher_list", SSL_CTX_set_cipher_list(handle, ciphers))
        SSL_CTX_set_options(handle, Self.options)
        // An idle session holds no buffers.
        _ = ctls_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
    }

    deinit {
        SSL_CTX_free(handle)
    }

    // These macros shift bits, which Swift does not import at this width.
    private static let noRenegotiation: UInt64 = 1 << 30
    private static let noCompression: UInt64 = 1 << 17
    private static let options = noRenegotiation | noCompression
    private static let serverCipherOrder: UInt64 = 1 << 22
    private static let prioritizeChaCha: UInt64 = 1 << 21
    /// The key-exchange groups of the server, in its order of preference.
    ///
    /// OpenSSL's default list includes finite-field groups: one replayed ClientHello with ffdhe8192 costs the event
    /// loop 100 ms or more (decision 0034).
    private static let serverGroups = "X25519:P-256:P-384"

    /// Creates the server's context with one certificate.
    static func server(_ files: TLSCertificateFiles) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_server_method())
        ctls_ask_nobody(context.handle)
        try OpenSSLErrors.check(
            "SSL_CTX_set1_groups_list", ctls_set_groups(context.handle, serverGroups))
        // A client that prefers ChaCha20 has no AES instructions and gets ChaCha20.
        SSL_CTX_set_options(context.handle, serverCipherOrder | prioritizeChaCha)
        // Clients keep sessions in tickets; the server keeps none.
        _ = ctls_set_session_cache(context.handle, Int(SSL_SESS_CACHE_OFF))
        let name = Array("larder".utf8)
        try OpenSSLErrors.check(
            "SSL_CTX_set_session_id_context",
            SSL_CTX_set_session_id_context(context.handle, name, UInt32(name.count)))
        SSL_CTX_set_alpn_select_cb(context.handle, chooseProtocol, nil)
        try context.use(files)
        return context
    }

    private func use(_ files: TLSCertificateFiles) throws(TLSError) {
        guard SSL_CTX_use_certificate_chain_file(handle, files.certificate) == 1 else {
            throw .file(
                path: files.certificate, expected: "certificate chain in PEM", reason: OpenSSLErrors.take())
        }
        guard SSL_CTX_use_PrivateKey_file(handle, files.key, SSL_FILETYPE_PEM) == 1 else {
            let isMismatch = ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH
            let reason = OpenSSLErrors.take()
            throw isMismatch
                ? .mismatch(certificate: files.certificate, key: files.key)
                : .file(path: files.key, expected: "private key in PEM without a pass phrase", reason: reason)
        }
        guard SSL_CTX_check_private_key(handle) == 1 else {
            _ = OpenSSLErrors.take()
            throw .mismatch(certificate: files.certificate, key: files.key)
        }
    }

    /// The second of Unix time after which the certificate is no longer valid; `nil` if OpenSSL cannot read it.
    var end: Int64? {
        guard let certificate = SSL_CTX_get0_certificate(handle), let time = X509_get0_notAfter(certificate) else {
            return nil
        }
        var fields = tm()
        guard ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        return Int64(timegm(&fields))
    }

    /// Whether the certificate is valid for this host name (RFC 9525).
    func isFor(_ name: UnsafePointer<CChar>) -> Bool {
        guard let certificate = SSL_CTX_get0_certificate(handle) else { return false }
        return X509_check_host(certificate, name, 0, 0, nil) == 1
    }
}

/// The ALPN protocol `http/1.1` (RFC 7301).
private enum ApplicationProtocol {
    /// The list on the wire: the length and the name.
    static let list: [UInt8] = [8] + Array("http/1.1".utf8)
}

/// Selects `http/1.1` from the client's list, or ends the handshake if it is missing.
private func chooseProtocol(
    session: OpaquePointer?, chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    chosenCount: UnsafeMutablePointer<UInt8>?, offered: UnsafePointer<UInt8>?, count: UInt32,
    argument: UnsafeMutableRawPointer?
) -> Int32 {
    let list = UnsafeBufferPointer(start: offered, count: Int(count))
    var start = 0
    while start < list.count {
        let end = min(start + 1 + Int(list[start]), list.count)
        if list[start..<end].elementsEqual(ApplicationProtocol.list) {
            chosen?.pointee = offered.map { $0 + start + 1 }
            chosenCount?.pointee = UInt8(end - start - 1)
            return SSL_TLSEXT_ERR_OK
        }
        start = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
