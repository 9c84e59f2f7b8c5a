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
    /// Whose word on where a request comes from is taken.
    var proxies: TrustedProxies
    var accessLog: (any AccessLog)?
    var report: @Sendable (Incident) -> Void
}
