import Domain
import HTTP
import Platform

/// `/report`: stores reports before it acknowledges them.
///
/// Seed 000's client sends a bare request, `GET` or `POST` with any body: that is answered 202 too, and counts for
/// nothing. What calls itself JSON is held to be meant, and refused where it is not right.
final class ReportEndpoint: Sendable {
    static let bodyLimit = 1 << 20
    /// Bytes of bodies that are read or wait to be stored, over all requests; past that a request is told to come back.
    static let bodyBudget = 32 << 20

    private let live: LiveApps
    private let intake: ReportIntake
    private let budget = BodyBudget(capacity: bodyBudget)

    init(live: LiveApps, intake: ReportIntake) {
        self.live = live
        self.intake = intake
    }

    /// The answer to a bare `GET`.
    func bare(_ base: ClientBase) throws(PlatformError) -> Response {
        _ = try live.requireApp(base.app)
        return Self.accepted(0)
    }

    func answer(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        _ = try live.requireApp(base.app)
        var share = budget.share()
        let body = try await share.collect(request.body, upTo: Self.bodyLimit)
        let reports = try reports(in: body, of: request.head, base.app)
        let ignored = try await intake.accept(reports).count { $0 == .ignored }
        share.end()
        return Self.accepted(reports.count - ignored, ignored: ignored)
    }

    private func reports(
        in body: [UInt8], of head: RequestHead, _ app: AppID
    ) throws(PlatformError) -> [Report] {
        let parser = ReportParser(app: app)
        guard head[.contentType].map({ $0.lowercased().hasPrefix("application/json") }) ?? false else {
            return JSON(parsing: body).flatMap { try? parser.reports(in: $0) } ?? []
        }
        guard let json = JSON(parsing: body) else { throw PlatformError(.invalidRequest, "The body is not JSON.") }
        return try parser.reports(in: json)
    }

    private static func accepted(_ count: Int, ignored: Int = 0) -> Response {
        let ignored: JSON? = ignored > 0 ? .integer(Int64(ignored)) : nil
        return .json(.accepted, .object(["accepted": .integer(Int64(count)), "ignored": ignored])).readableByPages
    }
}
