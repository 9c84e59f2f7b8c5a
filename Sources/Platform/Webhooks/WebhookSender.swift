package import Domain
package import Execution
import Ground
import Synchronization

/// The task that delivers the entries of the audit log to webhooks: in order for each webhook, and at least once.
///
/// One node of an installation runs it at a time. The database has no queue: each webhook has the id of the newest entry
/// that it has received (decision 0069).
package final class WebhookSender: ChangeObserver {
    /// The number of concurrent deliveries, each to another webhook.
    package static let width = 16
    /// The number of concurrent test calls; a further one gets `busy`.
    package static let testWidth = 4
    /// The time between two queries for new entries without a change on this node.
    package static let interval: Duration = .seconds(2)
    /// The entries that are read at a time.
    package static let page = 100
    /// The time for which a webhook is served before others get its slot.
    package static let slice: Duration = .seconds(15)
    /// The wait after entries could not be read.
    private static let readDelay: Duration = .seconds(5)

    /// A change that operators may want to know.
    package enum Event: Sendable {
        case paused(WebhookID, of: AppID, reason: String)
        /// The endpoint cannot be decrypted; called for the first of consecutive attempts.
        case unreadable(WebhookID, of: AppID)
        /// The store failed; called for the first of consecutive failures.
        case failed(PlatformError)
    }

    private let store: any WebhookStore & AuditStore & AppStateStore
    private let post: any WebhookPost
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let changed = AsyncFlag()
    private let state = Mutex(State())

    fileprivate enum Step { case reading, recording }

    fileprivate struct State {
        /// The webhooks that a task of this node serves.
        var busy: Set<WebhookID> = []
        /// The webhooks whose task ended since the last query for due ones began.
        var ended: Set<WebhookID> = []
        /// The results that the store could not write.
        var unrecorded: [WebhookID: Unrecorded] = [:]
        var tests = 0
        /// The steps whose last call of the store failed.
        var failing: Set<Step> = []
        var counts: [WebhookOutcome.Kind: Int64] = [:]
    }

    /// The result of an attempt, as the store has to write it.
    fileprivate struct Result {
        /// The webhook as it was read, with the new progress and pause.
        let webhook: Webhook
        /// The progress as it was read.
        let through: Int64
        let delivery: WebhookDelivery
        let audit: AuditEntry?
    }

    /// A result that could not be written.
    ///
    /// Until it is, no message is sent to its webhook, since it would be the same one.
    fileprivate struct Unrecorded {
        let result: Result
        var failures: Int
        var retryAt: Timestamp
    }

    fileprivate enum Job {
        case delivering(Webhook)
        case recording(Unrecorded)

        var webhook: WebhookID {
            switch self {
            case .delivering(let webhook): webhook.id
            case .recording(let unrecorded): unrecorded.result.webhook.id
            }
        }
    }

    /// - Parameters:
    ///   - work: The threads that wait for responses: at least ``width`` and ``testWidth`` together.
    ///   - instant: A clock that never jumps.
    package init(
        live: LiveApps, store: any WebhookStore & AuditStore & AppStateStore, post: any WebhookPost,
        cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.post = post
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
        self.instant = instant
        live.observe(self)
    }

    package func appChanged(_ app: LiveApp) { wake() }

    /// Notes that there may be something to deliver.
    package func wake() { changed.set() }

    /// The number of attempts of this node by outcome, test calls included.
    package var counts: [WebhookOutcome.Kind: Int64] { state.withLock { $0.counts } }

    /// Delivers entries until cancelled, which abandons the attempts in progress and the results without a record.
    package func run(report: @escaping @Sendable (Event) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for job in await start(report) {
                    group.addTask { [self] in
                        if await !serve(job, report) { await AsyncFlag().wait(upTo: Self.readDelay) }
                        end(job)
                        wake()
                    }
                }
                await changed.wait(upTo: Self.interval)
            }
        }
        // The node that has taken the work over does not know them either.
        state.withLock { $0.unrecorded = [:] }
    }

    /// Delivers what is due now, up to ``page`` entries to each of ``width`` webhooks.
    package func pass(report: @escaping @Sendable (Event) -> Void) async {
        let started = await start(report)
        await withDiscardingTaskGroup { group in
            for job in started {
                group.addTask { [self] in
                    _ = await serve(job, report)
                    end(job)
                }
            }
        }
    }

    /// Returns what is due at webhooks that no task serves, and marks these as served.
    private func start(_ report: (Event) -> Void) async -> [Job] {
        let (now, held) = (clock.now(), state.withLock { $0.beginQuery() })
        do throws(PlatformError) {
            // The first ones may be served already, or have a result without a record.
            let due = try await store.dueWebhooks(at: now, limit: 2 * Self.width + held)
            return state.withLock { state in
                state.failing.remove(.reading)
                return state.start(due, at: now)
            }
        } catch {
            note(error, in: .reading, report)
            return []
        }
    }

    private func end(_ job: Job) {
        state.withLock { state in
            state.busy.remove(job.webhook)
            state.ended.insert(job.webhook)
        }
    }

    /// Does a job; returns whether the store worked, apart from results that are written later.
    private func serve(_ job: Job, _ report: (Event) -> Void) async -> Bool {
        do throws(PlatformError) {
            switch job {
            case .delivering(let webhook): try await deliver(to: webhook, report)
            case .recording(let unrecorded):
                _ = await record(unrecorded.result, afterFailures: unrecorded.failures, report)
            }
            return true
        } catch {
            note(error, in: .recording, report)
            return false
        }
    }

    /// Writes a result; returns whether the webhook has it as its progress.
    ///
    /// If the store fails, the result is written later, so that the message is not sent again.
    private func record(_ result: Result, afterFailures failures: Int, _ report: (Event) -> Void) async -> Bool {
        let webhook = result.webhook
        do throws(PlatformError) {
            let isCurrent = try await store.recordProgress(
                webhook, after: result.through, result.delivery, audit: result.audit)
            state.withLock { state in
                state.failing.remove(.recording)
                state.unrecorded[webhook.id] = nil
            }
            if isCurrent, let pause = webhook.pause {
                report(.paused(webhook.id, of: webhook.app, reason: pause.reason))
            }
            return isCurrent
        } catch {
            note(error, in: .recording, report)
            let delay = WebhookProgress.delay(afterFailures: failures + 1)
            let unrecorded = Unrecorded(
                result: result, failures: failures + 1, retryAt: clock.now().adding(milliseconds: delay))
            // Another node delivers once the lease is lost, and this one must not overwrite its progress.
            state.withLock { $0.unrecorded[webhook.id] = error.isLeaseLost ? nil : unrecorded }
            return false
        }
    }

    private func note(_ error: PlatformError, in step: Step, _ report: (Event) -> Void) {
        let isFirst = state.withLock { $0.failing.insert(step).inserted }
        if isFirst { report(.failed(error)) }
    }

    private func deliver(to webhook: Webhook, _ report: (Event) -> Void) async throws(PlatformError) {
        var webhook = webhook
        let begin = instant()
        let entries = try await store.audit(of: webhook.app, after: webhook.progress.deliveredThrough, limit: Self.page)
        for recorded in entries where webhook.events.matches(recorded.entry.action) {
            let id = recorded.id
            let message = WebhookMessage(entry: id, recorded.entry, epoch: store.epoch)
            if webhook.endpoint == nil, webhook.progress.failures == 0 {
                report(.unreadable(webhook.id, of: webhook.app))
            }
            guard let delivery = await attempt(message, of: id, to: webhook) else { return }
            let result = result(of: delivery, of: id, to: webhook)
            let isCurrent = await record(result, afterFailures: 0, report)
            guard isCurrent, delivery.outcome.kind == .delivered, instant() - begin < Self.slice else { return }
            webhook = result.webhook
        }
        let through = webhook.progress.deliveredThrough
        guard let last = entries.last?.id, last > through else { return }
        webhook.progress.deliveredThrough = last
        _ = try await store.recordProgress(webhook, after: through, nil, audit: nil)
        state.withLock { _ = $0.failing.remove(.recording) }
    }

    private func result(of delivery: WebhookDelivery, of entry: Int64, to webhook: Webhook) -> Result {
        var changed = webhook
        let outcome = delivery.outcome
        if outcome.kind == .delivered {
            changed.progress = webhook.progress.delivered(entry, at: clock.now())
        } else {
            (changed.progress, changed.pause) = webhook.progress.failed(outcome, at: clock.now())
        }
        let audit = changed.pause.map { pause in
            // Publishers and other receivers read it: a reason in words may contain internal addresses.
            let details = JSON.object([
                "code": outcome.isGone ? "gone" : "failing", "outcome": .string(outcome.kind.rawValue),
                "status": outcome.status.map { .integer(Int64($0)) },
            ])
            return Operator.server.audit(
                .pauseWebhook, "#\(webhook.id)", in: webhook.app, at: pause.time, details.members ?? [],
                change: .changed(from: webhook.auditMembers, to: changed.auditMembers))
        }
        return Result(webhook: changed, through: webhook.progress.deliveredThrough, delivery: delivery, audit: audit)
    }

    /// Sends the message of a test call, besides the order of the entries, and returns the attempt.
    ///
    /// Throws `busy` if too many test calls are in progress.
    func test(_ webhook: Webhook, by author: Operator) async throws(PlatformError) -> WebhookDelivery {
        let isAdmitted = state.withLock { state in
            guard state.tests < Self.testWidth else { return false }
            state.tests += 1
            return true
        }
        guard isAdmitted else { throw PlatformError(.busy, "Too many webhooks are being tested. Try again later.") }
        defer { state.withLock { $0.tests -= 1 } }
        let id = "test-" + Hex.encode(cryptography.randomBytes(8))
        let message = WebhookMessage(testOf: webhook, by: author.name, id: id, at: clock.now())
        guard let delivery = await attempt(message, of: nil, to: webhook) else {
            throw PlatformError(.busy, "The test was abandoned. Try again.")
        }
        try await store.recordTest(delivery, of: webhook.id)
        return delivery
    }

    /// Sends a message once; returns `nil` if the task was cancelled meanwhile.
    private func attempt(_ message: WebhookMessage, of entry: Int64?, to webhook: Webhook) async -> WebhookDelivery? {
        let (now, start) = (clock.now(), ContinuousClock.now)
        let reply: WebhookReply?
        if let request = webhook.request(for: message, at: now, by: cryptography) {
            let (post, isCancelled) = (post, CancellationFlag())
            reply = await withTaskCancellationHandler {
                await work.run { post.send(request) { isCancelled.value } }
            } onCancel: {
                isCancelled.set()
            }
        } else {
            reply = .failure("the stored URL and secrets cannot be decrypted")
        }
        guard let reply else { return nil }
        let outcome = webhook.kind.outcome(of: reply)
        state.withLock { $0.counts[outcome.kind, default: 0] += 1 }
        return WebhookDelivery(
            entry: entry, event: message.event, time: now,
            duration: Int64((ContinuousClock.now - start) / .milliseconds(1)), outcome: outcome)
    }
}

extension WebhookSender.State {
    /// Prepares a query for due webhooks; returns the number of those with a result without a record.
    fileprivate mutating func beginQuery() -> Int {
        ended = []
        return unrecorded.count
    }

    /// Returns the jobs for the free slots, and marks their webhooks as served.
    ///
    /// - Parameter due: The result of a query; webhooks whose task ended since it began have newer progress.
    fileprivate mutating func start(_ due: [Webhook], at now: Timestamp) -> [WebhookSender.Job] {
        // After the clock was set back, a time may be further ahead than any delay.
        let horizon = now.adding(milliseconds: WebhookProgress.longestDelay)
        let retries = unrecorded.values.filter { $0.retryAt <= now || $0.retryAt > horizon }
        let jobs =
            retries.map { WebhookSender.Job.recording($0) }
            + due.filter { unrecorded[$0.id] == nil && !ended.contains($0.id) }.map { .delivering($0) }
        let free = jobs.filter { !busy.contains($0.webhook) }.prefix(WebhookSender.width - busy.count)
        busy.formUnion(free.map(\.webhook))
        return Array(free)
    }
}

/// A flag that a thread polls while its task may be cancelled.
private final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var value: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
