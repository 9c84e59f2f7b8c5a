import HTTP
import TLS

/// The settings that the loops of one server share.
struct Settings: Sendable {
    var limits: Limits
    var deadlines: Deadlines
    /// The certificates of the endpoints with TLS.
    var certificates: TLSCertificates?
    /// Whether the kernel may encrypt output.
    var kernelTLS = KernelTLS.absent
    /// The time in seconds for which browsers use only TLS for the host, sent in responses over TLS.
    var hstsSeconds = HTTPServer.defaultHSTSSeconds
    /// The proxies whose forwarding fields are trusted.
    var proxies: TrustedProxies
    var accessLog: (any AccessLog)?
    var report: @Sendable (Incident) -> Void
}
