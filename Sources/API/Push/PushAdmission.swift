import Domain
import HTTP
import Platform
import Synchronization

/// The limit of the clients that wait on `/push`, over all apps.
///
/// At the limit, the latest wait of a device that names itself ends when the device begins another one.
final class PushAdmission: Sendable {
    /// The connections that are left for requests that do not wait, or an eighth of all if that is less.
    static let reserve = 512

    /// Returns the number of clients that may wait.
    static func capacity(ofConnections connections: Int) -> Int { connections - min(connections / 8, reserve) }

    /// The seconds after which a refused client tries again: a random time, so that refused clients spread.
    private static let retryAfter = 5...30

    /// An entry of the set of waits, which is found by the device of its client.
    ///
    /// It holds only half of the device's key, since about half of the slots of a large set are empty. The full key is
    /// stored in the client, and is compared only if the halves are equal.
    private struct Wait: Hashable {
        let client: PushClient
        let part: UInt64

        /// Fails for a client that does not name its device.
        init?(_ client: PushClient) {
            guard let device = client.device else { return nil }
            self.client = client
            part = device.low
        }

        static func == (left: Wait, right: Wait) -> Bool {
            left.part == right.part && left.client.device == right.client.device
        }

        func hash(into hasher: inout Hasher) { hasher.combine(part) }
    }

    /// A share of the devices, with a lock of its own: an event ends thousands of waits on all loops at once.
    private final class Share: Sendable {
        struct State {
            /// The latest wait of each device, from its begin to its end.
            var latest: Set<Wait> = []
            /// The clients whose slots others have taken.
            var replaced: Set<ObjectIdentifier> = []
        }

        let state = Mutex(State())
    }

    private let capacity: Int
    private let log: any Log
    private let count = Atomic<Int>(0)
    private let shares = (0..<16).map { _ in Share() }

    init(capacity: Int, log: any Log) {
        self.capacity = capacity
        self.log = log
    }

    private func share(of wait: Wait) -> Share { shares[Int(wait.part % UInt64(shares.count))] }

    /// Admits a client, which then calls ``begin(_:)`` and ``end(_:)``, or only ``leave()``.
    ///
    /// At the limit the client takes the place of the latest wait of its device, or else this throws `busy`.
    func admit(_ client: PushClient) throws(PlatformError) {
        var earlier: PushClient?
        if !reserveSlot() {
            earlier = replaceLatest(by: client)
            guard earlier != nil else {
                throw PlatformError(
                    .busy, "Too many clients wait for events. Try again later, and poll /config until then.",
                    retryAfter: Int.random(in: Self.retryAfter))
            }
        }
        client.noteAdmission()
        earlier?.end { replaced }
    }

    /// Takes a free place; returns `false` if there is none.
    private func reserveSlot() -> Bool {
        var known = count.load(ordering: .relaxed)
        while known < capacity {
            let (isTaken, now) = count.compareExchange(expected: known, desired: known + 1, ordering: .relaxed)
            if isTaken { return true }
            known = now
        }
        return false
    }

    /// Removes and returns the latest wait of a client's device, whose place the client takes.
    private func replaceLatest(by client: PushClient) -> PushClient? {
        guard let wait = Wait(client) else { return nil }
        return share(of: wait).state.withLock { state in
            guard let earlier = state.latest.remove(wait)?.client else { return nil }
            state.replaced.insert(ObjectIdentifier(earlier))
            return earlier
        }
    }

    /// The response to a wait that another one of its device has replaced.
    ///
    /// With `Retry-After`, so that two programs of one device do not end each other's waits without a pause.
    private var replaced: PreparedResponse {
        let response = PlatformError(
            .busy, "Too many clients wait for events, and this device has begun another wait.",
            retryAfter: Int.random(in: Self.retryAfter)
        ).response(log: log).readableByPages
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        return PreparedResponse(response.status, fields: response.fields, body: body)
    }

    /// Notes that the wait of a client has begun, the latest one of its device.
    func begin(_ client: PushClient) {
        guard let wait = Wait(client) else { return }
        share(of: wait).state.withLock { _ = $0.latest.update(with: wait) }
    }

    /// Gives back the place of a client whose wait is over, unless another one has taken it.
    func end(_ client: PushClient) {
        let isReplaced = Wait(client).map { wait in
            share(of: wait).state.withLock { state in
                if let index = state.latest.firstIndex(of: wait), state.latest[index].client === client {
                    state.latest.remove(at: index)
                }
                return !state.replaced.isEmpty && state.replaced.remove(ObjectIdentifier(client)) != nil
            }
        }
        if isReplaced != true { leave() }
    }

    /// Releases a slot.
    func leave() {
        count.subtract(1, ordering: .relaxed)
    }
}
