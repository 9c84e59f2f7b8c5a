package import Domain
import Execution
import Ground
import HTTP
import Synchronization
package import Transport

/// The reports of a fleet on their way to a server, over several connections.
///
/// A request that was not acknowledged is repeated with the same event ids, so that each report counts once however often
/// the connection is lost or the server is killed.
package final class FleetRun: Sendable {
    package static let maximumConnections = 1024
    /// The time without an acknowledgement after which a run fails.
    package static let patience = Duration.seconds(120)
    /// The pause before a request is repeated, if the server does not name one, and the longest one.
    private static let pause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(60)
    /// The longest time between two looks at whether the run is over.
    private static let lookInterval = Duration.milliseconds(500)

    package struct Options: Sendable {
        /// The server, with the path of the app if it is not the default one.
        package var base: HTTPURL
        package var connections = 16
        /// The reports of a request.
        package var batch = 50
        /// The limit on the reports per second; `nil` for none.
        package var rate: Int?
        /// The time for which devices visit again and again; `nil` for one visit of each device.
        package var duration: Duration?

        package init(base: HTTPURL) { self.base = base }
    }

    /// The course of a run.
    package struct Outcome: Sendable {
        /// The statistics that the server must have.
        package var truth: FleetTruth
        /// The acknowledged reports, with those that were sent twice.
        package var sent = 0
        package var requests = 0
        /// The attempts that were not acknowledged.
        package var failedAttempts = 0
        /// The microseconds from the beginning of a request to its acknowledgement, without failed attempts.
        package var latency = DurationSketch()
        package var elapsed = Duration.zero
    }

    /// The reason why a run ended early.
    package struct Failure: Error, Sendable {
        package let message: String
    }

    private struct State {
        var outcome: Outcome
        var nextBlock = 0
        /// The reports whose turn has come, by the rate.
        var scheduled = 0
        var lastAcknowledged: Duration
        var failure: Failure?
    }

    private let fleet: Fleet
    private let options: Options
    private let makeClient: @Sendable () -> HTTPClient
    private let clock: any ClientClock
    private let start: Duration
    private let state: Mutex<State>

    /// - Parameter makeClient: Creates the client of a connection.
    package init(
        _ plan: FleetPlan, _ options: Options, clock: any ClientClock = SystemClientClock(),
        makeClient: @escaping @Sendable () -> HTTPClient
    ) {
        fleet = Fleet(plan)
        self.options = options
        self.clock = clock
        self.makeClient = makeClient
        start = clock.monotonic()
        state = Mutex(State(outcome: Outcome(truth: FleetTruth(plan)), lastAcknowledged: start))
    }

    /// Sends the reports and returns once all are acknowledged or the time is over; blocks the thread.
    package func run() throws(Failure) -> Outcome {
        SystemThread.perform(on: options.connections, named: "larder.device") {
            let client = makeClient()
            do throws(Failure) {
                while let block = nextBlock() { try send(block, by: client) }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
        return try state.withLock { state throws(Failure) in
            if let failure = state.failure { throw failure }
            state.outcome.elapsed = clock.monotonic() - start
            return state.outcome
        }
    }

    /// Returns the number of the next block; `nil` at the end of the run.
    private func nextBlock() -> Int? {
        guard !isOver else { return nil }
        return state.withLock { state in
            guard options.duration != nil || state.nextBlock < fleet.blocksPerVisit else { return nil }
            state.nextBlock += 1
            return state.nextBlock - 1
        }
    }

    private var isOver: Bool {
        if let duration = options.duration, clock.monotonic() - start >= duration { return true }
        return state.withLock { $0.failure != nil }
    }

    private func send(_ block: Int, by client: HTTPClient) throws(Failure) {
        var rest = fleet.reports(ofBlock: block)[...]
        var counted: Set<ReportID> = []
        while !rest.isEmpty {
            let batch = rest.prefix(options.batch)
            rest = rest.dropFirst(batch.count)
            waitForTurn(of: batch.count)
            guard !isOver else { return }
            let latency = try send(batch, by: client)
            let new = batch.filter { counted.insert(ReportID($0)).inserted }
            state.withLock { state in
                for report in new { state.outcome.truth.add(report) }
                state.outcome.sent += batch.count
                state.outcome.requests += 1
                state.outcome.latency.insert(Int(latency / .microseconds(1)))
                state.lastAcknowledged = clock.monotonic()
            }
        }
    }

    /// Blocks until the rate permits so many more reports.
    private func waitForTurn(of count: Int) {
        guard let rate = options.rate else { return }
        let before = state.withLock { state in
            state.scheduled += count
            return state.scheduled - count
        }
        let due = start + Duration.seconds(1) * before / rate
        while !isOver, clock.monotonic() < due { clock.sleep(for: min(due - clock.monotonic(), Self.lookInterval)) }
    }

    // MARK: Requests

    /// Sends reports until they are acknowledged, and returns the duration of the last attempt.
    private func send(_ batch: ArraySlice<FleetEvent>, by client: HTTPClient) throws(Failure) -> Duration {
        var request = ClientRequest(
            .post, options.base.appending("/report"), fields: [.contentType: "application/json"],
            body: .bytes(fleet.body(of: batch)))
        request.isRepeatable = true
        let first = clock.monotonic()
        while true {
            let begun = clock.monotonic()
            switch try attempt(request, reports: batch.count, by: client) {
            case .acknowledged: return clock.monotonic() - begun
            case .failed(let message, let pause):
                let last = state.withLock { state in
                    state.outcome.failedAttempts += 1
                    return state.lastAcknowledged
                }
                guard clock.monotonic() - max(last, first) < Self.patience else {
                    throw Failure(
                        message: "no report was acknowledged for \(Self.patience.components.seconds) s: \(message)")
                }
                clock.sleep(for: pause)
            }
        }
    }

    private enum Attempt {
        case acknowledged
        /// The attempt may succeed after a pause.
        case failed(String, pause: Duration)
    }

    private func attempt(
        _ request: ClientRequest, reports: Int, by client: HTTPClient
    ) throws(Failure) -> Attempt {
        let response: ClientResponse
        do throws(TransportError) { response = try client.send(request) } catch {
            switch error {
            case .unreachable, .timedOut, .connectionEnded: return .failed(error.description, pause: Self.pause)
            default: throw Failure(message: error.description)
            }
        }
        let status = response.head.status
        let text = "The response to reports has status \(status)."
        switch status {
        case 202:
            let accepted = JSON(parsing: response.body)?["accepted"]?.integer
            guard accepted == Int64(reports) else {
                throw Failure(
                    message: "the server stored \(accepted ?? 0) of \(reports) reports; publish the versions that are "
                        + "to be simulated. Its response: \(ShownText.of(response.body))")
            }
            return .acknowledged
        case 408, 429, 500...:
            let seconds = response.head.fields[.retryAfter].flatMap { Int($0) }.map { Duration.seconds(max($0, 0)) }
            return .failed(text, pause: min(seconds ?? Self.pause, Self.longestPause))
        default: throw Failure(message: "\(text) \(ShownText.of(response.body))")
        }
    }
}

/// The identity of a report within a block.
private struct ReportID: Hashable {
    let device: Int
    let number: Int

    init(_ event: FleetEvent) { (device, number) = (event.device.index, event.number) }
}
