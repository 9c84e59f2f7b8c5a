import Domain
import HTTP
import Synchronization

/// A bound on the bytes of small bodies in memory, over all requests and over those of one client.
final class BodyBudget: Sendable {
    private struct State {
        var total = 0
        /// The bytes by client; only of clients that have some.
        var clients: [PeerAddress: Int] = [:]
    }

    /// Whose limit a request exceeds: that of all clients, or that of its own.
    private enum Users { case all, client }

    private let capacity: Int
    private let capacityPerClient: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: The bytes of all bodies together.
    ///   - capacityPerClient: The bytes of the bodies of one IPv4 address or one /56 of IPv6.
    init(capacity: Int, capacityPerClient: Int) {
        self.capacity = capacity
        self.capacityPerClient = capacityPerClient
    }

    /// The number of clients that have bytes of the budget.
    var clientCount: Int { state.withLock { $0.clients.count } }

    /// The bytes that one request has taken of the budget; its `deinit` returns them.
    struct Share: ~Copyable {
        private let budget: BodyBudget
        private let client: PeerAddress
        private var count = 0

        fileprivate init(of budget: BodyBudget, client: PeerAddress) {
            self.budget = budget
            self.client = client
        }

        deinit { budget.give(count, backBy: client) }

        /// Reads a whole body, whose bytes stay charged to the share.
        ///
        /// Bytes are charged as they arrive: a declared length takes nothing from other requests. Throws `busy` if the
        /// budget or the client's part of it is used up, `bodyTooLarge`, `bodyIncomplete`.
        mutating func collect(_ body: RequestBody, upTo limit: Int) async throws(PlatformError) -> [UInt8] {
            if let length = body.length, length > limit { throw BodyError.tooLarge(limit: limit).platformError }
            var whole: [UInt8] = []
            while let piece = try await Self.next(of: body) {
                guard whole.count + piece.count <= limit else { throw BodyError.tooLarge(limit: limit).platformError }
                try take(piece.count)
                whole.append(contentsOf: piece)
            }
            return whole
        }

        /// Ends the share; called after the last use of the bytes, so that the share lives until then.
        consuming func end() {}

        /// Charges further bytes to the share; throws `busy` if the budget or the client's part of it is used up.
        mutating func take(_ bytes: Int) throws(PlatformError) {
            switch budget.take(bytes, for: client) {
            case nil: count += bytes
            case .all: throw PlatformError(.busy, "Too many requests are being read. Send this one again later.")
            case .client:
                throw PlatformError(
                    .busy, "Too many requests from this address are being read. Send this one again later.")
            }
        }

        private static func next(of body: RequestBody) async throws(PlatformError) -> [UInt8]? {
            do throws(BodyError) { return try await body.next() } catch { throw error.platformError }
        }
    }

    /// Returns an empty share for a request of a client.
    func share(for client: PeerAddress) -> Share { Share(of: self, client: client.customer) }

    /// Charges bytes to a client; returns whose bytes are too many, or `nil` if they are charged.
    private func take(_ bytes: Int, for client: PeerAddress) -> Users? {
        state.withLock { state in
            guard state.total + bytes <= capacity else { return .all }
            let own = state.clients[client, default: 0] + bytes
            guard own <= capacityPerClient else { return .client }
            guard own > 0 else { return nil }
            state.total += bytes
            state.clients[client] = own
            return nil
        }
    }

    private func give(_ bytes: Int, backBy client: PeerAddress) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.total -= bytes
            let left = state.clients[client, default: bytes] - bytes
            state.clients[client] = left > 0 ? left : nil
        }
    }
}
