import Domain
import HTTP

/// Sends the reports that wait, oldest first.
struct ReportSender {
    /// Reports in one request, and those that are kept at most; older ones go first.
    static let batch = 500
    static let maximumWaiting = 5000

    let client: HTTPClient
    let base: HTTPURL

    /// What became of the reports.
    struct Outcome: Sendable, Equatable {
        var sent = 0
        /// Refused for good, and given up.
        var dropped = 0
        /// Why some are left for later.
        var failure: String?
    }

    /// Removes from `reports` what the server took, or will never take.
    func send(_ reports: inout [JSON]) -> Outcome {
        var outcome = Outcome()
        while !reports.isEmpty {
            let batch = reports.prefix(Self.batch)
            switch send(Array(batch)) {
            case .taken: outcome.sent += batch.count
            case .refused: outcome.dropped += batch.count
            case .failed(let why):
                outcome.failure = why
                return outcome
            }
            reports.removeFirst(batch.count)
        }
        return outcome
    }

    private enum Answer {
        case taken
        case refused
        case failed(String)
    }

    private func send(_ batch: [JSON]) -> Answer {
        let request = ClientRequest(
            .post, base.appending("/report"), fields: [.contentType: "application/json"],
            body: .bytes(JSON.array(batch).bytes()))
        do throws(TransportError) {
            let status = try client.send(request).head.status
            if (200..<300).contains(status) { return .taken }
            let isPassing = status >= 500 || status == 429 || status == 408 || status == 401 || status == 403
            return isPassing ? .failed("The server answered the reports with \(status).") : .refused
        } catch {
            return .failed(error.description)
        }
    }
}
