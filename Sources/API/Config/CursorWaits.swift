import Domain
import Execution
import HTTP
import Platform
import Synchronization

/// The requests for `/config` that wait for a change of which another node has notified their clients.
final class CursorWaits: ChangeObserver {
    /// The number of requests that may wait.
    ///
    /// Past it, the newest request of the client with the most is refused; the arriving one is if its client has as many as
    /// the average client.
    static let capacity = 1_024
    /// The longest wait, in which a node reads the revisions of the store at least once.
    static let patience: Duration = .seconds(3)

    fileprivate struct Waiting {
        let app: AppID
        let client: PeerAddress
        let flag: AsyncFlag
    }

    fileprivate struct State {
        var waiting: [Int: Waiting] = [:]
        /// The number of waiting requests of each client.
        var counts: [PeerAddress: Int] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    init(_ live: LiveApps) { live.observe(self) }

    func appChanged(_ app: LiveApp) { wake(app) }

    func storeRead(of app: LiveApp) { wake(app) }

    private func wake(_ app: LiveApp) {
        let flags = state.withLock { state in state.waiting.values.filter { $0.app == app.id }.map(\.flag) }
        for flag in flags { flag.set() }
    }

    /// Waits until this node knows the event of a cursor, or the store turns out not to have it.
    ///
    /// Returns `false` if neither happens in time, or if too many requests wait.
    ///
    /// - Parameter client: The unit of the shares (``PeerAddress/customer``).
    func reach(_ cursor: Cursor, of app: LiveApp, for client: PeerAddress) async -> Bool {
        let flag = AsyncFlag()
        let begin = ContinuousClock.now
        guard let number = enter(Waiting(app: app.id, client: client, flag: flag)) else { return false }
        defer { state.withLock { _ = $0.remove(number) } }
        while app.log.isBehind(cursor) {
            guard !app.wasAbsent(cursor, after: begin) else { return true }
            let left = begin + Self.patience - ContinuousClock.now
            guard left > .zero, !Task.isCancelled, state.withLock({ $0.waiting[number] != nil }) else { return false }
            await flag.wait(upTo: left)
        }
        return true
    }

    private func enter(_ waiting: Waiting) -> Int? {
        let (number, refused) = state.withLock { state -> (Int?, AsyncFlag?) in
            guard state.waiting.count >= Self.capacity else { return (state.insert(waiting), nil) }
            guard state.isBelowAverage(waiting.client) else { return (nil, nil) }
            let refused = state.removeLastOfBusiest()
            return (state.insert(waiting), refused?.flag)
        }
        refused?.set()
        return number
    }
}

extension CursorWaits.State {
    fileprivate mutating func insert(_ entry: CursorWaits.Waiting) -> Int {
        lastNumber += 1
        waiting[lastNumber] = entry
        counts[entry.client, default: 0] += 1
        return lastNumber
    }

    fileprivate mutating func remove(_ number: Int) -> CursorWaits.Waiting? {
        guard let removed = waiting.removeValue(forKey: number) else { return nil }
        let left = (counts[removed.client] ?? 0) - 1
        counts[removed.client] = left > 0 ? left : nil
        return removed
    }

    /// Whether a client has fewer waiting requests than the average of those that have some, and some client has several.
    fileprivate func isBelowAverage(_ client: PeerAddress) -> Bool {
        waiting.count > counts.count && (counts[client] ?? 0) * counts.count < waiting.count
    }

    /// Removes the newest request of the client with the most.
    fileprivate mutating func removeLastOfBusiest() -> CursorWaits.Waiting? {
        let busiest = counts.max { $0.value < $1.value }?.key
        let newest = waiting.filter { $0.value.client == busiest }.keys.max()
        return newest.flatMap { remove($0) }
    }
}
