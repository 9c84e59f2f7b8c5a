import Domain
import Execution
import Ground
import HTTP
import Platform

/// The endpoint `/report`, which stores reports before it acknowledges them.
///
/// A bare request of seed 000's client, `GET` or `POST` without a body or with plain text, gets 202 as well and is not
/// counted. Any other body that cannot be read as reports is an error (decision 0054).
final class ReportEndpoint: Sendable {
    static let bodyLimit = 1 << 20
    /// The limit on the bytes of bodies that are being read or wait to be stored; past it, requests get `busy`.
    static let bodyBudget = 32 << 20

    /// The longest body that is parsed on the event loop: a megabyte of JSON takes a tenth of a second.
    static let bytesReadOnLoop = 16 << 10

    private let live: LiveApps
    private let intake: ReportIntake
    /// The pool that parses longer bodies.
    private let work: WorkExecutor
    private let budget = BodyBudget(capacity: bodyBudget)

    init(services: Services) {
        live = services.live
        intake = services.reports
        work = services.pools.reports
    }

    /// Returns the response to a bare `GET`.
    func bare(_ base: ClientBase) throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        return Self.accepted(0)
    }

    func respond(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        var share = budget.share()
        let body = try await share.collect(request.body, upTo: Self.bodyLimit)
        let head = request.head
        let reports =
            if body.count > Self.bytesReadOnLoop {
                try await work.run { () throws(PlatformError) in try Self.reports(in: body, of: head, base.app) }
            } else {
                try Self.reports(in: body, of: head, base.app)
            }
        let outcomes = try await intake.accept(reports)
        share.end()
        let ignored = outcomes.count { $0 == .ignored }
        return Self.accepted(
            reports.count - ignored, ignored: ignored, spooled: outcomes.count { $0 == .spooled })
    }

    private static func reports(
        in bytes: [UInt8], of head: RequestHead, _ app: AppID
    ) throws(PlatformError) -> [Report] {
        // JSON must not begin with a byte order mark (RFC 8259 §8.1), but some encoders write one.
        let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard try ReportBody(body, of: head) == .reports else { return [] }
        guard let json = JSON(parsing: body) else {
            throw PlatformError(
                .invalidRequest, "The body is not JSON. Send one report, or an array of reports (not one on each line)."
            )
        }
        return try ReportParser(app: app).reports(in: json)
    }

    private static func accepted(_ count: Int, ignored: Int = 0, spooled: Int = 0) -> Response {
        func present(_ count: Int) -> JSON? { count > 0 ? .integer(Int64(count)) : nil }
        let body: JSON = .object([
            "accepted": .integer(Int64(count)), "ignored": present(ignored), "spooled": present(spooled),
        ])
        return .json(.accepted, body).readableByPages
    }
}
