import HTTP
import Synchronization

/// The number of connections over all loops, in total and by address.
final class Census: Sendable {
    private struct Counts {
        var addresses: [PeerAddress: Int] = [:]
        var networks: [PeerAddress: Int] = [:]
    }

    let limit: Int
    /// The number of addresses' limits that a /56 of IPv6 may use.
    ///
    /// A provider gives a customer a /56, or a /64 out of a /56 that other customers share: a customer with a /64 does
    /// not fill the /56, and one with a /56 does not fill the server.
    static let addressesPerNetwork = 4

    /// The maximum number of connections from one IPv4 address or one /64 of IPv6 (``PeerAddress/group``).
    private let limitPerAddress: Int
    /// The proxies, whose connections carry the requests of many clients and have no limit by address.
    private let proxies: TrustedProxies
    private let counts = Mutex(Counts())
    private let count = Atomic<Int>(0)
    private let isFull = Atomic<Bool>(false)

    init(limit: Int, limitPerAddress: Int, proxies: TrustedProxies) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    /// Counts a connection of an address, or returns `false` if the address has reached its limit.
    func admit(_ peer: PeerAddress) -> Bool {
        guard !proxies.contains(peer) else { return true }
        return counts.withLock { counts in
            let address = counts.addresses[peer.group, default: 0]
            guard address < limitPerAddress else { return false }
            if let network = peer.network {
                let count = counts.networks[network, default: 0]
                guard count < limitPerAddress * Self.addressesPerNetwork else { return false }
                counts.networks[network] = count + 1
            }
            counts.addresses[peer.group] = address + 1
            return true
        }
    }

    /// Uncounts a connection of an address, with the result of ``leave()``.
    func leave(from peer: PeerAddress) -> Bool {
        if !proxies.contains(peer) {
            counts.withLock { counts in
                Self.remove(peer.group, from: &counts.addresses)
                if let network = peer.network { Self.remove(network, from: &counts.networks) }
            }
        }
        return leave()
    }

    private static func remove(_ address: PeerAddress, from counts: inout [PeerAddress: Int]) {
        guard let count = counts[address] else { return }
        counts[address] = count > 1 ? count - 1 : nil
    }

    /// Reserves a connection slot; returns `false` if none is free.
    ///
    /// Only the acceptor's thread may call it.
    func enter() -> Bool {
        while true {
            let (_, now) = count.add(1, ordering: .sequentiallyConsistent)
            if now <= limit { return true }
            count.subtract(1, ordering: .sequentiallyConsistent)
            isFull.store(true, ordering: .sequentiallyConsistent)
            // A later `leave()` sees the mark; an earlier one is visible to this load.
            if count.load(ordering: .sequentiallyConsistent) >= limit { return false }
            isFull.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Returns a slot; the result is whether ``enter()`` has failed since the last one.
    func leave() -> Bool {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isFull.load(ordering: .sequentiallyConsistent) else { return false }
        return isFull.exchange(false, ordering: .sequentiallyConsistent)
    }
}
