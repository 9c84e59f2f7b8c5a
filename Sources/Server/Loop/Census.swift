import HTTP
import Synchronization

/// How many connections there are, over all loops, and from where.
final class Census: Sendable {
    let limit: Int
    /// So many may come from one address, or from one network of IPv6 (``PeerAddress/group``).
    private let limitPerAddress: Int
    /// Whose connections carry those of many others.
    private let proxies: TrustedProxies
    private let addresses = Mutex<[PeerAddress: Int]>([:])
    private let count = Atomic<Int>(0)
    private let isFull = Atomic<Bool>(false)

    init(limit: Int, limitPerAddress: Int, proxies: TrustedProxies) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.proxies = proxies
    }

    /// Counts a connection from an address; false, and not counted, when there are too many already.
    func admit(_ peer: PeerAddress) -> Bool {
        guard !proxies.contains(peer) else { return true }
        return addresses.withLock { addresses in
            let count = addresses[peer.group, default: 0]
            guard count < limitPerAddress else { return false }
            addresses[peer.group] = count + 1
            return true
        }
    }

    /// Gives the place of a connection from an address back, as ``leave()`` does.
    func leave(from peer: PeerAddress) -> Bool {
        if !proxies.contains(peer) {
            addresses.withLock { addresses in
                guard let count = addresses[peer.group] else { return }
                addresses[peer.group] = count > 1 ? count - 1 : nil
            }
        }
        return leave()
    }

    /// Takes a place, on the thread of the acceptor only; false when there is none.
    func enter() -> Bool {
        while true {
            let (_, now) = count.add(1, ordering: .sequentiallyConsistent)
            if now <= limit { return true }
            count.subtract(1, ordering: .sequentiallyConsistent)
            isFull.store(true, ordering: .sequentiallyConsistent)
            // Whoever leaves from here on sees the mark; whoever left before it is seen here.
            if count.load(ordering: .sequentiallyConsistent) >= limit { return false }
            isFull.store(false, ordering: .sequentiallyConsistent)
        }
    }

    /// Gives one place back; true when somebody was told that there was none.
    func leave() -> Bool {
        count.subtract(1, ordering: .sequentiallyConsistent)
        guard isFull.load(ordering: .sequentiallyConsistent) else { return false }
        return isFull.exchange(false, ordering: .sequentiallyConsistent)
    }
}
