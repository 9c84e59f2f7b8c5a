import Synchronization

/// A thread that sets flags after a time.
///
/// The runtime's sleep ends on one of the runtime's threads, and so is late while they are busy.
final class AlarmClock: Sendable {
    /// The alarm clock of the process, whose thread never ends.
    static let shared = AlarmClock()

    /// A handle of an alarm that was set.
    struct Alarm {
        fileprivate let number: UInt64
    }

    private struct State {
        var alarms: [UInt64: (moment: ContinuousClock.Instant, flag: AsyncFlag)] = [:]
        var lastNumber: UInt64 = 0

        var next: ContinuousClock.Instant? { alarms.values.lazy.map(\.moment).min() }
    }

    private let thread = ThreadPool(named: "larder.alarms", limit: 1)
    private let state = Mutex(State())
    /// The semaphore that wakes the thread for an alarm earlier than the one it waits for.
    private let bell = Semaphore()

    private init() {
        thread.add { self.run() }
    }

    /// Sets a flag after a time unless the alarm is removed first.
    func set(_ flag: AsyncFlag, after duration: Duration) -> Alarm {
        let moment = ContinuousClock.now + duration
        let (number, isNext) = state.withLock { state in
            let isNext = state.next.map { moment < $0 } ?? true
            state.lastNumber += 1
            state.alarms[state.lastNumber] = (moment, flag)
            return (state.lastNumber, isNext)
        }
        if isNext { bell.signal() }
        return Alarm(number: number)
    }

    func remove(_ alarm: Alarm) {
        _ = state.withLock { $0.alarms.removeValue(forKey: alarm.number) }
    }

    private func run() {
        while true {
            let now = ContinuousClock.now
            let (due, next) = state.withLock { state in
                let due = state.alarms.filter { $0.value.moment <= now }
                for number in due.keys { state.alarms[number] = nil }
                return (due.values.map(\.flag), state.next)
            }
            for flag in due { flag.set() }
            if let next { bell.wait(upTo: next - now) } else { bell.wait() }
        }
    }
}
