import Glibc

/// Whether the kernel can seal what is sent over TLS (kTLS), so that files go out by `sendfile` (ADR 0021).
package enum KernelTLS: Sendable {
    case present
    case absent

    /// Asks the kernel, by a connection of the process to itself.
    ///
    /// Linux loads the module `tls` for those who may administer the network alone: for others it has to be there.
    package static func probe() -> KernelTLS {
        guard let listener = makeSocket(), let client = makeSocket() else { return .absent }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.number, $0, size) == 0 && listen(listener.number, 1) == 0
                    && getsockname(listener.number, $0, &size) == 0 && connect(client.number, $0, size) == 0
            }
        }
        guard isConnected else { return .absent }
        let name = Array("tls".utf8)
        let isThere = setsockopt(client.number, Int32(IPPROTO_TCP), TCP_ULP, name, socklen_t(name.count)) == 0
        return isThere ? .present : .absent
    }

    /// Who seals what is sent to connections that come in there: the kernel does for TCP alone.
    package func sealing(at endpoint: Endpoint) -> Sealing {
        guard endpoint.isEncrypted else { return .none }
        return self == .present && endpoint.address != nil ? .kernel : .openssl
    }

    private static func makeSocket() -> Descriptor? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(AF_INET, kind, 0)
        return number >= 0 ? Descriptor(owning: number) : nil
    }
}
