import Synchronization
import TLS

/// Whom a client's `https://` connections trust; read when the first of them is made.
final class LazyTrust: Sendable {
    private let authorities: String?
    private let loaded = Mutex<TLSTrust?>(nil)

    /// - Parameter authorities: A file of certificates in PEM; `nil` for those of the system.
    init(authorities: String?) {
        self.authorities = authorities
    }

    /// Begins TLS with the host of a URL, over a connected socket.
    func begin(with url: HTTPURL, over descriptor: Int32) throws(TransportError) -> SecureChannel {
        do throws(TLSError) {
            let trust = try load()
            let pipe = TLSPipe()
            return SecureChannel(try trust.begin(with: url.host, through: pipe), through: pipe, over: descriptor)
        } catch {
            throw .unusableTrust(reason: error.description)
        }
    }

    private func load() throws(TLSError) -> TLSTrust {
        if let trust = loaded.withLock({ $0 }) { return trust }
        let trust = try TLSTrust(authorities: authorities)
        loaded.withLock { $0 = trust }
        return trust
    }
}
