package import Domain
package import HTTP
import Synchronization

/// A bound on the bytes in flight of responses that are made for one client each.
///
/// Cached responses are not counted: they are held once, however many clients read them.
package final class ResponseBudget: Sendable {
    /// The bytes that return to the budget when the lease is deinitialized.
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

    /// The bytes for all clients.
    static let standardCapacity = 64 << 20
    /// The bytes for one IPv4 address or one /56 of IPv6.
    static let standardCapacityPerClient = 8 << 20

    private let capacity: Int
    private let capacityPerClient: Int
    private let state = Mutex(State())

    init(capacity: Int = standardCapacity, capacityPerClient: Int = standardCapacityPerClient) {
        self.capacity = capacity
        self.capacityPerClient = capacityPerClient
    }

    /// Returns the response with its bytes charged to the client until all of them are sent.
    ///
    /// Throws `busy` if the budget has too few left.
    package func charge(_ response: Response, for head: RequestHead) throws(PlatformError) -> Response {
        guard case .bytes(let bytes) = response.body, !bytes.isEmpty, head.method != .head else { return response }
        guard let lease = lease(bytes.count, for: head.client) else { throw Self.refusal }
        var charged = response
        charged.body = .stream(length: bytes.count) { writer in
            try await writer.write(bytes)
            withExtendedLifetime(lease) {}
        }
        return charged
    }

    /// Throws `busy` if nothing more can be charged to the client.
    func requireRoom(for client: PeerAddress) throws(PlatformError) {
        let hasRoom = state.withLock { state in
            state.total < capacity && state.clients[client.customer, default: 0] < capacityPerClient
        }
        guard hasRoom else { throw Self.refusal }
    }

    private static var refusal: PlatformError {
        PlatformError(.busy, "Too many responses are being sent to slow clients. Try again in a moment.")
    }

    /// Charges bytes to a client, or returns `nil` if the budget has fewer left.
    ///
    /// A client without charged bytes gets a response of any length within the total, and the first response of all may
    /// exceed the total.
    func lease(_ bytes: Int, for client: PeerAddress) -> Lease? {
        let client = client.customer
        let isTaken = state.withLock { state in
            let own = state.clients[client, default: 0]
            guard state.total == 0 || state.total + bytes <= capacity, own == 0 || own + bytes <= capacityPerClient
            else { return false }
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
