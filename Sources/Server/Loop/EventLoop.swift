import CLinux
import Execution
import Glibc
import HTTP
import Synchronization
import TLS

/// One thread that waits for its connections' events, and runs their tasks between them.
///
/// `@unchecked Sendable`: other threads reach only ``mail``, ``wakeUp`` and ``thread``, which are a mutex, an eventfd
/// and an atomic; everything else is touched on the loop's own thread alone, where ``isCurrent`` holds.
final class EventLoop: @unchecked Sendable {
    /// What is no connection has slots that none ever reaches; listeners theirs from the second on.
    static let wakeUpSlot = 0xFFFF_0000
    static let firstListenerSlot = wakeUpSlot + 1

    let settings: Settings
    let application: any Application
    let census: Census
    /// The loop that accepts for this one; `nil` if it does so itself.
    private let front: EventLoop?
    let epoll: Epoll
    let wakeUp: WakeUp
    let mail = Mutex(Mailbox())
    let thread = Atomic<UInt>(0)

    // Of the loop's thread only.
    var acceptor: Acceptor?
    var table = ConnectionTable()
    var wheel: TimerWheel
    var now = Instant.now
    var endings: HeadEndings
    var output = OutputBuffer(capacity: outputCapacity)
    /// What the last read brought; nothing keeps a reference to it.
    var input = [UInt8](repeating: 0, count: inputCapacity)
    /// Made when the first connection with TLS comes.
    lazy var tlsBuffers = TLSBuffers()
    var parser: HeadParser
    var head = RequestHead()
    /// Where response heads are put together.
    var headBytes: [UInt8] = []
    var spawner = Spawner()
    var waitNumbers: UInt64 = 0
    var idle = IdleConnections()
    let traffic: LoopTraffic
    /// Connections that are parked.
    var waiting = 0
    /// The number of the turn, to tell one from the next.
    var turns: UInt32 = 0
    private var requestIDs = RequestIDs()
    var jobs: [UnownedJob] = []
    /// Connections that had more to do than is fair in one turn.
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

    /// The wall clock, in nanoseconds since 1970.
    var wallClock: Int64 { endings.nanoseconds + (Instant.now.nanoseconds - now.nanoseconds) }

    func makeRequestID() -> [UInt8] { requestIDs.next() }

    /// Begins the thread, which keeps the loop alive until ``stop()``.
    func start() throws(ServerError) {
        try SystemThread.detach(named: "larder-loop") { self.turnAround() }
    }

    /// Has the thread end after its turn.
    ///
    /// To be called when no task prefers the loop any more.
    func stop() {
        post { loop in loop.isStopped = true }
    }

    /// Runs an action on the loop's thread: at once if that is the caller's, soon otherwise.
    func perform(_ action: @escaping @Sendable (EventLoop) -> Void) {
        if isCurrent { action(self) } else { post(action) }
    }

    /// Runs an action on the loop's thread in a later turn, unless the loop has stopped by then.
    func post(_ action: @escaping @Sendable (EventLoop) -> Void) {
        leave { $0.actions.append(action) }
    }

    /// Tells the acceptor that there is a place for a connection again.
    func announcePlace() {
        (front ?? self).perform { loop in loop.acceptor?.resume(on: loop) }
    }

    private func leave(_ write: (inout sending Mailbox) -> Void) {
        mail.withLock { mailbox in
            guard !mailbox.isClosed else { return }
            write(&mailbox)
            guard !mailbox.isRung else { return }
            mailbox.isRung = true
            // Under the lock: the eventfd cannot be closed meanwhile.
            wakeUp.ring()
        }
    }
}

extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { jobs.append(job) } else { leave { $0.jobs.append(job) } }
    }
}
