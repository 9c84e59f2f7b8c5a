import Domain
import Ground
import HTTP
import Transport

/// A notice that a watch sends while it runs.
package enum WatchNotice: Sendable {
    case passed(SyncResult)
    /// A request failed or its response cannot be used; the watch retries after a wait.
    case failed(SyncError, retryIn: Duration)
}

extension SyncEngine {
    /// The longest wait in seconds that a long poll requests; most proxies cut connections at 60.
    static let pushWait: Int64 = 45
    /// The extra time for the response to a long poll.
    static let pushGrace = Duration.seconds(15)
    /// The longest time in milliseconds over which the server may spread the requests that follow an event: the response
    /// is unsigned and must not delay a device much.
    static let longestSpread: Int64 = 30_000

    /// Syncs continuously: at once, then whenever the server signals a change or an offer becomes due.
    ///
    /// Returns when `isStopped` returns `true`; it is called between waits of at most a minute.
    package func watch(until isStopped: () -> Bool, notify: (WatchNotice) -> Void) {
        var schedule = WatchSchedule(now: clock.monotonic())
        while !isStopped() {
            do throws(SyncError) {
                try step(&schedule, notify)
            } catch {
                let delay = schedule.failed()
                notify(.failed(error, retryIn: delay))
                // An offer may become due while the server is unreachable.
                clock.sleep(for: min(delay, durationToBoundary(after: schedule.seen) ?? delay))
            }
        }
    }

    private func step(_ schedule: inout WatchSchedule, _ notify: (WatchNotice) -> Void) throws(SyncError) {
        let now = serverClock.now
        if let handled = schedule.handled, handled < now, durationToBoundary(after: handled) == .zero {
            schedule.applying(upTo: now)
            let result = try applyDue(in: handled.adding(milliseconds: 1)...now)
            schedule.applied(isSuccess: result.isSuccess, seenTo: now, at: clock.monotonic())
            notify(.passed(result))
        } else if schedule.untilPass(at: clock.monotonic()) == .zero {
            let result = try pass(cursor: schedule.cursor)
            schedule.passed(
                isSuccess: result.isSuccess, cursor: state.cursor, seenTo: serverClock.now,
                pollAfter: .seconds(pollAfter), at: clock.monotonic())
            notify(.passed(result))
        } else {
            try wait(&schedule)
        }
    }

    /// Returns the time, by the server's clock, until an offer of the config takes effect or is due for download.
    private func durationToBoundary(after handled: Timestamp?) -> Duration? {
        config?.boundary(after: handled ?? serverClock.now).map { serverClock.duration(until: $0) }
    }

    // MARK: Long polls

    private func wait(_ schedule: inout WatchSchedule) throws(SyncError) {
        let left = durationLeft(in: schedule)
        guard let cursor = schedule.cursor else {
            clock.sleep(for: min(left, .seconds(Self.pushWait)))
            return
        }
        clock.sleep(for: schedule.pauseBeforePoll(at: clock.monotonic()))
        let seconds = min(max(1, (left.milliseconds + 999) / 1000), Self.pushWait)
        let response = try poll(cursor: cursor, seconds: seconds)
        switch response.head.status {
        case 200:
            let news = JSON(parsing: response.body)
            let cursor = response.head.fields[.larderCursor] ?? news?["cursor"]?.string
            // Many devices were notified at once.
            if let spread = news?["spread"]?.integer, spread > 0 {
                let pause = Duration.milliseconds(Int64.random(in: 0...min(spread, Self.longestSpread)))
                clock.sleep(for: min(durationLeft(in: schedule), pause))
            }
            schedule.polled(hasNews: true, cursor: cursor, at: clock.monotonic())
        case 204:
            schedule.polled(hasNews: false, cursor: response.head.fields[.larderCursor], at: clock.monotonic())
        default:
            throw .refused(path: "/push", status: response.head.status, detail: nil)
        }
    }

    /// Returns the time until the next pass, or until an offer becomes due if that is earlier.
    private func durationLeft(in schedule: WatchSchedule) -> Duration {
        let untilPass = schedule.untilPass(at: clock.monotonic())
        return durationToBoundary(after: schedule.handled).map { min(untilPass, $0) } ?? untilPass
    }

    private func poll(cursor: String, seconds: Int64) throws(SyncError) -> ClientResponse {
        let path = "/push?cursor=\(PercentEncoding.encode(cursor.utf8))&wait=\(seconds)"
        var request = ClientRequest(.get, options.base.appending(path))
        request.responseTimeout = .seconds(seconds) + Self.pushGrace
        do throws(TransportError) {
            let response = try client.send(request)
            serverClock.observe(response.head)
            return response
        } catch { throw .transport(error) }
    }
}
