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

    fileprivate struct Wait {
        /// The number of the permit.
        let number: UInt64
        let form: PushWait.Form
        /// The ticket, once the wait has begun.
        var ticket: WaitTicket?

        /// Ends the wait of a device that has begun another one.
        func end(with refusal: () -> Response) {
            guard let ticket else { return }
            switch form {
            case .poll:
                let response = refusal()
                var body: [UInt8] = []
                if case .bytes(let bytes) = response.body { body = bytes }
                ticket.lot.respond(
                    [ticket.number], with: PreparedResponse(response.status, fields: response.fields, body: body))
            case .stream: ticket.lot.finish([ticket.number])
            }
        }
    }

    private struct State {
        var count = 0
        var lastNumber: UInt64 = 0
        /// The latest wait of each device.
        var devices: [DeviceKey: Wait] = [:]
        /// The permits that another wait of the device has replaced.
        var replaced: Set<UInt64> = []
    }

    private let capacity: Int
    private let log: any Log
    private let state = Mutex(State())

    init(capacity: Int, log: any Log) {
        self.capacity = capacity
        self.log = log
    }

    /// Admits a wait; at the limit it replaces the latest one of its device, or else throws `busy`.
    func admit(_ form: PushWait.Form, of device: DeviceKey?) throws(PlatformError) -> PushPermit {
        let (number, earlier) = state.withLock { state -> (UInt64?, Wait?) in
            var earlier: Wait?
            if state.count < capacity {
                state.count += 1
            } else {
                earlier = device.flatMap { state.devices[$0] }
                guard let earlier else { return (nil, nil) }
                state.replaced.insert(earlier.number)
            }
            state.lastNumber += 1
            if let device { state.devices[device] = Wait(number: state.lastNumber, form: form) }
            return (state.lastNumber, earlier)
        }
        guard let number else {
            throw PlatformError(
                .busy, "Too many clients wait for events. Try again later, and poll /config until then.",
                retryAfter: Int.random(in: Self.retryAfter))
        }
        earlier?.end { replaced }
        return PushPermit(admission: self, device: device, number: number)
    }

    /// The response to a wait that another one of its device has replaced.
    ///
    /// With `Retry-After`, so that two programs of one device do not end each other's waits without a pause.
    fileprivate var replaced: Response {
        PlatformError(
            .busy, "Too many clients wait for events, and this device has begun another wait.",
            retryAfter: Int.random(in: Self.retryAfter)
        ).response(log: log).readableByPages
    }

    /// Notes the ticket of a wait; returns whether no other one has replaced it meanwhile.
    fileprivate func begin(_ number: UInt64, _ device: DeviceKey, _ ticket: WaitTicket) -> Bool {
        state.withLock { state in
            guard !state.replaced.contains(number) else { return false }
            if state.devices[device]?.number == number { state.devices[device]?.ticket = ticket }
            return true
        }
    }

    fileprivate func release(_ number: UInt64, _ device: DeviceKey?) {
        state.withLock { state in
            if let device, state.devices[device]?.number == number { state.devices[device] = nil }
            // The wait that has replaced this one counts in its stead.
            if state.replaced.remove(number) == nil { state.count -= 1 }
        }
    }
}

/// The permission for one client to wait, which counts as long as the value exists.
struct PushPermit: ~Copyable, Sendable {
    fileprivate let admission: PushAdmission
    fileprivate let device: DeviceKey?
    fileprivate let number: UInt64

    deinit { admission.release(number, device) }
}

/// One client's wait: its permit and, once it has begun, its ticket.
struct PushWait: ~Copyable, Sendable {
    enum Form: Sendable {
        case poll, stream
    }

    private var permit: PushPermit?
    private var ticket: WaitTicket?

    init(_ permit: consuming PushPermit) {
        self.permit = consume permit
    }

    /// Notes the ticket; returns the response to the client instead if its device has begun another wait meanwhile.
    mutating func begin(_ ticket: WaitTicket) -> Response? {
        self.ticket = ticket
        guard let permit = permit.take() else { return nil }
        let refusal = permit.refusal(of: ticket)
        self.permit = consume permit
        return refusal
    }

    /// Returns the permit, and the ticket of a wait that had begun; `nil` from the second call on.
    mutating func end() -> WaitTicket? {
        permit = nil
        return ticket.take()
    }
}

extension PushPermit {
    /// Notes the ticket of the wait; returns a response if the wait is over already.
    fileprivate borrowing func refusal(of ticket: WaitTicket) -> Response? {
        guard let device, !admission.begin(number, device, ticket) else { return nil }
        return admission.replaced
    }
}
