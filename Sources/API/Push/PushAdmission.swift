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

    /// A client that waits, by its device.
    ///
    /// The whole device is stored in the client alone, because a set of thousands has almost as many empty places. A part
    /// of it is here, so that the client is read only if it is the right one.
    private struct Wait: Hashable {
        let client: PushClient
        private let part: UInt64

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

    private struct State {
        var count = 0
        /// The latest wait of each device, from its begin to its end.
        var latest: Set<Wait> = []
        /// The clients whose places others have taken.
        var replaced: Set<ObjectIdentifier> = []
    }

    private let capacity: Int
    private let log: any Log
    private let state = Mutex(State())

    init(capacity: Int, log: any Log) {
        self.capacity = capacity
        self.log = log
    }

    /// Admits a client, which then calls ``begin(_:)`` and ``end(_:)``, or only ``leave()``.
    ///
    /// At the limit the client takes the place of the latest wait of its device, or else this throws `busy`.
    func admit(_ client: PushClient) throws(PlatformError) {
        let (isAdmitted, earlier) = state.withLock { state -> (Bool, PushClient?) in
            guard state.count >= capacity else {
                state.count += 1
                return (true, nil)
            }
            guard let wait = Wait(client), let earlier = state.latest.remove(wait) else { return (false, nil) }
            state.replaced.insert(ObjectIdentifier(earlier.client))
            return (true, earlier.client)
        }
        guard isAdmitted else {
            throw PlatformError(
                .busy, "Too many clients wait for events. Try again later, and poll /config until then.",
                retryAfter: Int.random(in: Self.retryAfter))
        }
        client.noteAdmission()
        earlier?.end { replaced }
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
        state.withLock { _ = $0.latest.update(with: wait) }
    }

    /// Gives back the place of a client whose wait is over.
    func end(_ client: PushClient) {
        state.withLock { state in
            if let wait = Wait(client), let index = state.latest.firstIndex(of: wait),
                state.latest[index].client === client
            {
                state.latest.remove(at: index)
            }
            // The client that has taken the place counts in its stead.
            if state.replaced.isEmpty || state.replaced.remove(ObjectIdentifier(client)) == nil { state.count -= 1 }
        }
    }

    /// Gives back a place that no wait has used.
    func leave() {
        state.withLock { $0.count -= 1 }
    }
}
