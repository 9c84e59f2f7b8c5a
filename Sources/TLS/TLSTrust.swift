import CTLS

/// The certificate authorities that a client trusts.
package final class TLSTrust: Sendable {
    private let context: TLSContext

    /// - Parameter authorities: The path of a PEM file with their certificates; `nil` for those of the system.
    package init(authorities: String? = nil) throws(TLSError) {
        context = try TLSContext.client(trusting: authorities)
    }

    /// Begins the client's side of a session with a host, whose certificate has to be valid for it (RFC 9525).
    ///
    /// The first call of ``TLSSession/open(_:into:)`` fills the pipe with the first message of the handshake.
    ///
    /// - Parameter host: A host name or a numeric address.
    package func begin(with host: String, through pipe: TLSPipe) throws(TLSError) -> TLSSession {
        let handle = try OpenSSLErrors.unwrap("SSL_new", SSL_new(context.handle))
        let session = try TLSSession(owning: handle, through: pipe, of: self)
        SSL_set_connect_state(handle)
        let parameters = SSL_get0_param(handle)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
            _ = OpenSSLErrors.take()
            try OpenSSLErrors.check("SSL_set1_host", SSL_set1_host(handle, host))
            try OpenSSLErrors.check("SSL_set_tlsext_host_name", ctls_set_name(handle, host))
        }
        return session
    }
}
