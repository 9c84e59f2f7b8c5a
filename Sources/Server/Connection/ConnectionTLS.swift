import TLS

/// The TLS of one connection, and what it has sealed that the kernel has not taken yet.
final class ConnectionTLS {
    let session: TLSSession
    /// Sealed bytes that go before all others, from ``start`` on; at most what a pipe holds.
    private var rest: [UInt8] = []
    private var start = 0
    /// Sealed bytes that came since the last plain one.
    var barren = 0

    init(_ session: TLSSession) {
        self.session = session
    }

    /// Whether the kernel has all that was sealed.
    var isDrained: Bool { start == rest.count }

    /// What waits, for as long as the body runs.
    func withRest(_ send: (UnsafeRawBufferPointer) -> Transfer) -> Transfer {
        rest.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Forgets the first of what waits: the kernel took it.
    func drop(_ count: Int) {
        start += count
        guard isDrained else { return }
        rest = []
        start = 0
    }

    /// Keeps what the kernel did not take.
    func keep(_ bytes: some Collection<UInt8>) {
        rest += bytes
    }
}
