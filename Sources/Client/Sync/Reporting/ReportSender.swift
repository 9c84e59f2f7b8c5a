import Domain
import Ground
import HTTP
import Transport

/// A sender of queued reports, oldest first.
struct ReportSender {
    /// The limits on the reports in one request and on queued reports; the queue drops the oldest first.
    static let batch = 500
    static let maximumWaiting = 5000

    let client: HTTPClient
    let base: HTTPURL

    /// The outcome of sending reports.
    struct Outcome: Sendable, Equatable {
        var sent = 0
        /// The number of reports that the server rejected permanently.
        var dropped = 0
        /// The failure that left reports in the queue.
        var failure: String?
    }

    /// Sends reports, and removes those that the server accepted or rejected permanently.
    func send(_ reports: inout [JSON]) -> Outcome {
        var outcome = Outcome()
        while !reports.isEmpty {
            let batch = reports.prefix(Self.batch)
            switch send(Array(batch)) {
            case .accepted(let refused):
                outcome.sent += batch.count - refused
                outcome.dropped += refused
            case .refused: outcome.dropped += batch.count
            case .failed(let why):
                outcome.failure = why
                return outcome
            }
            reports.removeFirst(batch.count)
        }
        return outcome
    }

    private enum BatchOutcome {
        /// The server has the reports, except for some that it refused.
        case accepted(refused: Int)
        case refused
        case failed(String)
    }

    private func send(_ batch: [JSON]) -> BatchOutcome {
        let request = ClientRequest(
            .post, base.appending("/report"), fields: [.contentType: "application/json"],
            body: .bytes(JSON.array(batch).bytes()))
        do throws(TransportError) {
            let response = try client.send(request)
            let status = response.head.status
            if (200..<300).contains(status) {
                let body = JSON(parsing: response.body)
                let listed = body?["refused"]?.elements?.count ?? 0
                let unlisted = min(max(body?["refusedUnlisted"]?.integer ?? 0, 0), Int64(batch.count))
                return .accepted(refused: min(listed + Int(unlisted), batch.count))
            }
            let isPassing = status >= 500 || status == 429 || status == 408 || status == 401 || status == 403
            return isPassing ? .failed("The response to the reports has status \(status).") : .refused
        } catch {
            return .failed(error.description)
        }
    }
}
