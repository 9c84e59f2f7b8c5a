import Domain
import Ground
import Synchronization

/// The counters of received reports, for `/metrics`.
final class ReportCounters: Sendable {
    struct Figures {
        let tally: ReportTally
        /// The bare reports of seed 000's client.
        let bare: Int
    }

    private struct State {
        var tally = ReportTally()
        var bare = 0
    }

    private let state = Mutex(State())

    var figures: Figures { state.withLock { Figures(tally: $0.tally, bare: $0.bare) } }

    func noteBare() {
        state.withLock { $0.bare += 1 }
    }

    /// - Parameter outcomes: The outcomes of the parsed reports, in their order; empty if none was stored.
    func note(_ parsed: ReportParser.Parsed, _ outcomes: [ReportOutcome], of app: AppID, at now: Timestamp) {
        state.withLock { state in
            for (report, outcome) in zip(parsed.reports, outcomes) {
                state.tally.add(.init(outcome), of: .init(app, report.package), at: now)
            }
            for refusal in parsed.refused {
                state.tally.add(.refused, of: refusal.package.map { .init(app, $0) }, at: now)
            }
        }
    }
}
