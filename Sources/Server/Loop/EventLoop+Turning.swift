import Glibc
import HTTP
import Synchronization

extension EventLoop {
    /// Iterates until the loop is stopped; the calling thread becomes the loop's.
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
        // Yields the core to other threads now: the kernel would preempt the loop up to two clock ticks (8 ms) later,
        // for which the slowest percent of the responses would wait.
        if count >= Self.politeEvents { sched_yield() }
    }

    /// The number of events in an iteration from which the loop yields its core.
    ///
    /// Enough that the cost of yielding per event is negligible, and more than a few large downloads cause, which
    /// yielding would only slow down.
    private static let politeEvents = 4

    /// Returns the time in milliseconds until the next scheduled work; negative without any.
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

    /// Runs the queued jobs; jobs that these add run in the next iteration.
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
