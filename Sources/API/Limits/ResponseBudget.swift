import HTTP
import Synchronization

/// A bound on the bytes in flight of responses that are made for one client each.
///
/// Cached responses are not counted: they are held once, however many clients read them.
final class ResponseBudget: Sendable {
    /// Bytes that return to the budget when the lease is deinitialized.
    final class Lease: Sendable {
        private let budget: ResponseBudget
        private let client: PeerAddress
        private let bytes: Int

        fileprivate init(of budget: ResponseBudget, client: PeerAddress, bytes: Int) {
            self.budget = budget
            self.client = client
            self.bytes = bytes
        }

        deinit { budget.give(bytes, backBy: client) }
    }

    private struct State {
        var total = 0
        var clients: [PeerAddress: Int] = [:]
    }

    private let capacity: Int
    private let capacityPerClient: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: Bytes over all clients.
    ///   - capacityPerClient: Bytes for one IPv4 address or one /64 of IPv6.
    init(capacity: Int, capacityPerClient: Int) {
        self.capacity = capacity
        self.capacityPerClient = capacityPerClient
    }

    /// Charges bytes to a client, or returns `nil` if the budget has fewer left.
    func lease(_ bytes: Int, for client: PeerAddress) -> Lease? {
        let client = client.group
        let isTaken = state.withLock { state in
            let own = state.clients[client, default: 0]
            guard state.total + bytes <= capacity, own + bytes <= capacityPerClient else { return false }
            state.total += bytes
            state.clients[client] = own + bytes
            return true
        }
        return isTaken ? Lease(of: self, client: client, bytes: bytes) : nil
    }

    private func give(_ bytes: Int, backBy client: PeerAddress) {
        state.withLock { state in
            state.total -= bytes
            let left = state.clients[client, default: bytes] - bytes
            state.clients[client] = left > 0 ? left : nil
        }
    }
}
