import TLS

/// The TLS session of one connection, with the encrypted bytes that the kernel has not taken yet.
final class ConnectionTLS {
    let session: TLSSession
    /// Encrypted bytes to be sent before all others, from ``start`` on; at most the contents of a pipe.
    private var rest: [UInt8] = []
    private var start = 0
    /// The number of encrypted bytes received since the last plain one.
    var barren = 0

    init(_ session: TLSSession) {
        self.session = session
    }

    /// Whether the kernel has taken all encrypted bytes.
    var isDrained: Bool { start == rest.count }

    /// Passes the pending bytes to `send`; they are valid only during the call.
    func withRest(_ send: (UnsafeRawBufferPointer) -> Transfer) -> Transfer {
        rest.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Drops the first pending bytes, which the kernel has taken.
    func drop(_ count: Int) {
        start += count
        guard isDrained else { return }
        rest = []
        start = 0
    }

    /// Keeps bytes that the kernel did not take.
    func keep(_ bytes: some Collection<UInt8>) {
        rest += bytes
    }
}
