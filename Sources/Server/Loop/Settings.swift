import HTTP
import TLS

/// What the loops of one server have in common.
struct Settings: Sendable {
    var limits: Limits
    var deadlines: Deadlines
    /// For the addresses that TLS is spoken at.
    var certificates: TLSCertificates?
    /// Whether sealing may be left to the kernel.
    var kernelTLS = KernelTLS.absent
    /// The time for which browsers are to use only TLS for the host, as responses over TLS say.
    var hstsSeconds = HTTPServer.defaultHSTSSeconds
    /// Whose word on where a request comes from is taken.
    var proxies: TrustedProxies
    var accessLog: (any AccessLog)?
    var report: @Sendable (Incident) -> Void
}
