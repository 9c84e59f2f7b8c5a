import Glibc
package import HTTP

/// The addresses to which a client may connect: public ones, and those of permitted networks.
package struct AddressPolicy: Sendable {
    private let permitted: [AddressRange]

    /// - Parameter permitted: The networks whose addresses are permitted although they are not public.
    package init(alsoPermitting permitted: [AddressRange] = []) {
        self.permitted = permitted
    }

    package func permits(_ address: PeerAddress) -> Bool {
        address.isPublic || permitted.contains { $0.contains(address) }
    }
}

extension PeerAddress {
    /// Reads the address of a socket; returns `nil` for families besides IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        // The system guarantees that memory of the family's size begins at the pointer.
        let memory = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = memory.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(ipv4: UInt32(bigEndian: address.s_addr))
        case AF_INET6:
            let address = memory.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let (high, low) = withUnsafeBytes(of: address) {
                ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low))
        default: return nil
        }
    }
}
