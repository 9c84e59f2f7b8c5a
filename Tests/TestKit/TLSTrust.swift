import CTLS
package import TLS

/// The client's side of TLS over bytes in memory, for tests of the server's side.
///
/// `@unchecked Sendable`: set up before it is shared; from then on OpenSSL itself guards what sessions change in it.
package final class TLSTrust: @unchecked Sendable {
    private let context: OpaquePointer

    /// - Parameter authorities: A file of certificates in PEM that are trusted.
    package init(authorities: String) throws(TLSError) {
        context = try Self.made("SSL_CTX_new", SSL_CTX_new(TLS_client_method()))
        // Length and name of the one protocol, as on the wire (RFC 7301).
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        guard SSL_CTX_load_verify_file(context, authorities) == 1,
            SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0
        else {
            throw .file(path: authorities, expected: "file of certificates in PEM", reason: "refused")
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Begins a session with a host, a name or a numeric address, which the certificate has to be for.
    ///
    /// The first call of `open` fills the pipe with what begins the handshake.
    package func begin(with host: String, through pipe: TLSPipe) throws(TLSError) -> TLSSession {
        let handle = try Self.made("SSL_new", SSL_new(context))
        let session = try TLSSession(owning: handle, through: pipe, of: self)
        SSL_set_connect_state(handle)
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle), host) != 1 {
            ERR_clear_error()
            guard SSL_set1_host(handle, host) == 1, ctls_set_name(handle, host) == 1 else {
                throw .library(call: "SSL_set1_host", reason: host)
            }
        }
        return session
    }

    private static func made(_ call: String, _ object: OpaquePointer?) throws(TLSError) -> OpaquePointer {
        guard let object else { throw .library(call: call, reason: "out of memory") }
        return object
    }
}
