import Glibc
import HTTP
import Synchronization

extension EventLoop {
    /// Turns until the loop is stopped; the thread that calls is the loop's.
    func turnAround() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopped { turn() }
        mail.withLock { $0.isClosed = true }
    }

    private func turn() {
        let count = epoll.wait(milliseconds: patience())
        now = .now
        turns &+= 1
        endings.refresh()
        for index in 0..<count {
            let event = epoll[index]
            receive(event.events, token: event.token)
        }
        runJobs()
        let resuming = unfinished
        unfinished.removeAll(keepingCapacity: true)
        for slot in resuming { table[slot]?.goOnNow() }
        expire()
        traffic.pass(to: settings.accessLog)
        traffic.total.turns.note(nanoseconds: Instant.now.nanoseconds - now.nanoseconds)
        if drainEnd != nil { finishDraining() }
        // Whoever shares the core gets it now, not when the kernel takes it away: that is up to two ticks of its clock
        // later, 8 ms, which the slowest percent of the answers then waited for.
        if count >= Self.politeEvents { sched_yield() }
    }

    /// Events of a turn after which the loop offers its core to others: enough that the offer costs each next to
    /// nothing, and more than a few large downloads have, which it would only slow down.
    private static let politeEvents = 4

    /// How long nothing can happen by itself, in milliseconds; negative for ever.
    private func patience() -> Int32 {
        guard jobs.isEmpty, unfinished.isEmpty, !isStopped else { return 0 }
        var wake = Instant.distantFuture
        if let next = wheel.nextWake { wake = next }
        if let next = acceptor?.resumption { wake = min(wake, next) }
        if let drainEnd, drainEnd > now { wake = min(wake, drainEnd) }
        guard wake != .distantFuture else { return -1 }
        let wait = (wake.nanoseconds - now.nanoseconds + 999_999) / 1_000_000
        return Int32(clamping: max(wait, 0))
    }

    @inline(__always)
    private func receive(_ events: Epoll.Events, token: UInt64) {
        let slot = Int(token & 0xFFFF_FFFF)
        if let connection = table.connection(slot, generation: UInt32(token >> 32)) {
            connection.receive(events)
        } else if slot == Self.wakeUpSlot {
            wakeUp.silence()
            takeMail()
        } else if slot >= Self.firstListenerSlot {
            acceptor?.accept(listener: slot - Self.firstListenerSlot, on: self)
        }
    }

    private func takeMail() {
        let (arrived, actions) = mail.withLock { mailbox in
            defer {
                mailbox.jobs = []
                mailbox.actions = []
                mailbox.isRung = false
            }
            return (mailbox.jobs, mailbox.actions)
        }
        jobs += arrived
        for action in actions { action(self) }
    }

    /// Runs the jobs that are there; those that they bring about wait for the next turn.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        var batch: [UnownedJob] = []
        swap(&batch, &jobs)
        let executor = asUnownedTaskExecutor()
        for job in batch { job.runSynchronously(on: executor) }
    }

    private func expire() {
        wheel.advance(to: now, expired: &expired)
        for slot in expired { table[slot]?.expire() }
        expired.removeAll(keepingCapacity: true)
        if let resumption = acceptor?.resumption, resumption <= now { acceptor?.resume(on: self) }
    }
}
