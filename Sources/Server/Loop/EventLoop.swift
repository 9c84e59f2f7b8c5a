import CLinux
import Execution
import Glibc
import HTTP
import Synchronization
import TLS

/// A thread that waits for the events of its connections and runs their tasks between them.
///
/// `@unchecked Sendable`: other threads use only ``mail``, ``wakeUp`` and ``thread``, which are a mutex, an eventfd and
/// an atomic; all other properties are used only on the loop's own thread, on which ``isCurrent`` is true.
final class EventLoop: @unchecked Sendable {
    /// The slot of the wake-up descriptor, beyond those of connections; listeners have the following ones.
    static let wakeUpSlot = 0xFFFF_0000
    static let firstListenerSlot = wakeUpSlot + 1

    let settings: Settings
    let application: any Application
    let census: Census
    /// The loop that accepts for this one; `nil` if it accepts itself.
    private let front: EventLoop?
    let epoll: Epoll
    let wakeUp: WakeUp
    let mail = Mutex(Mailbox())
    let thread = Atomic<UInt>(0)

    // The following properties belong to the loop's thread.
    var acceptor: Acceptor?
    var table = ConnectionTable()
    var wheel: TimerWheel
    var now = Instant.now
    var endings: HeadEndings
    var output = OutputBuffer(capacity: outputCapacity)
    /// The bytes of the last read, to which no other object keeps a reference.
    var input = [UInt8](repeating: 0, count: inputCapacity)
    /// The TLS buffers, allocated with the first connection over TLS.
    lazy var tlsBuffers = TLSBuffers()
    var parser: HeadParser
    var head = RequestHead()
    /// The buffer in which response heads are assembled.
    var headBytes: [UInt8] = []
    var spawner = Spawner()
    var waitNumbers: UInt64 = 0
    var deliveries = DeliveryQueue()
    /// The requests that deliveries have answered, or are about to; their waits end after all deliveries.
    var answered: [ArraySlice<UInt64>] = []
    var idle = IdleConnections()
    let traffic: LoopTraffic
    /// The number of parked connections.
    var waiting = 0
    /// The number of the current iteration.
    var iterations: UInt32 = 0
    private var requestIDs = RequestIDs()
    var jobs: [UnownedJob] = []
    /// The slots of connections with more work than is fair in one iteration.
    var unfinished: [Int] = []
    var expired: [Int] = []
    var drainEnd: Instant?
    var isStopped = false

    private static let inputCapacity = TLSSession.openingRoom
    private static let outputCapacity = 128 << 10

    init(settings: Settings, application: any Application, census: Census, front: EventLoop?) throws(ServerError) {
        self.front = front
        self.settings = settings
        self.application = application
        self.census = census
        traffic = LoopTraffic(routes: application.routes.count)
        epoll = try Epoll()
        wakeUp = try WakeUp()
        wheel = TimerWheel(now: .now)
        parser = HeadParser(limits: settings.limits)
        endings = HeadEndings(hstsSeconds: settings.hstsSeconds)
        guard epoll.add(wakeUp.number, .readable, token: UInt64(Self.wakeUpSlot)) else {
            throw .system(call: "epoll_ctl", subject: "event loop", code: errno)
        }
    }

    /// Whether the caller runs on the loop's thread.
    @inline(__always)
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// The wall clock in nanoseconds since 1970.
    var wallClock: Int64 { endings.nanoseconds + (Instant.now.nanoseconds - now.nanoseconds) }

    func makeRequestID() -> [UInt8] { requestIDs.next() }

    /// Starts the thread, which keeps the loop alive until ``stop()``.
    func start() throws(ServerError) {
        try SystemThread.detach(named: "larder-loop") { self.runUntilStopped() }
    }

    /// Ends the thread after the current iteration.
    ///
    /// Call it when no task prefers the loop any more.
    func stop() {
        post { loop in loop.isStopped = true }
    }

    /// Runs an action on the loop's thread: at once if that is the caller's, else soon.
    func perform(_ action: @escaping @Sendable (EventLoop) -> Void) {
        if isCurrent { action(self) } else { post(action) }
    }

    /// Runs an action on the loop's thread in a later iteration, unless the loop has stopped by then.
    func post(_ action: @escaping @Sendable (EventLoop) -> Void) {
        leave { $0.actions.append(action) }
    }

    /// Notifies the acceptor that a connection slot is free.
    func announceSlot() {
        (front ?? self).perform { loop in loop.acceptor?.resume(on: loop) }
    }

    private func leave(_ write: (inout sending Mailbox) -> Void) {
        mail.withLock { mailbox in
            guard !mailbox.isClosed else { return }
            write(&mailbox)
            guard !mailbox.isRung else { return }
            mailbox.isRung = true
            // Within the lock, which keeps the eventfd open.
            wakeUp.ring()
        }
    }
}

/// The iterations of the loop.
extension EventLoop {
    /// Iterates until the loop is stopped; the calling thread becomes the loop's.
    func runUntilStopped() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopped { iterate() }
        mail.withLock { $0.isClosed = true }
    }

    private func iterate() {
        let count = epoll.wait(milliseconds: patience())
        now = .now
        iterations &+= 1
        endings.refresh()
        for index in 0..<count {
            let event = epoll[index]
            receive(event.events, token: event.token)
        }
        runJobs()
        deliver()
        let resuming = unfinished
        unfinished.removeAll(keepingCapacity: true)
        for slot in resuming { table[slot]?.goOnNow() }
        expire()
        traffic.pass(to: settings.accessLog)
        traffic.total.iterations.note(nanoseconds: Instant.now.nanoseconds - now.nanoseconds)
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
        guard jobs.isEmpty, unfinished.isEmpty, deliveries.isEmpty, answered.isEmpty, !isStopped else { return 0 }
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

extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { jobs.append(job) } else { leave { $0.jobs.append(job) } }
    }
}
