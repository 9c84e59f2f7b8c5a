import Domain
import Execution
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

    /// Longer bodies are read on a thread for work: a megabyte of JSON takes a tenth of a second.
    static let bytesReadOnLoop = 16 << 10

    private let live: LiveApps
    private let intake: ReportIntake
    private let work: WorkExecutor
    private let budget = BodyBudget(capacity: bodyBudget)

    init(live: LiveApps, intake: ReportIntake, work: WorkExecutor) {
        self.live = live
        self.intake = intake
        self.work = work
    }

    /// The answer to a bare `GET`.
    func bare(_ base: ClientBase) throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        return Self.accepted(0)
    }

    func answer(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        var share = budget.share()
        let body = try await share.collect(request.body, upTo: Self.bodyLimit)
        let saysJSON =
            request.head[.contentType].map { $0.lowercased().hasPrefix("application/json") } ?? false
        let reports =
            if body.count > Self.bytesReadOnLoop {
                try await work.run { () throws(PlatformError) in
                    try Self.reports(in: body, saysJSON: saysJSON, base.app)
                }
            } else {
                try Self.reports(in: body, saysJSON: saysJSON, base.app)
            }
        let ignored = try await intake.accept(reports).count { $0 == .ignored }
        share.end()
        return Self.accepted(reports.count - ignored, ignored: ignored)
    }

    private static func reports(
        in body: [UInt8], saysJSON: Bool, _ app: AppID
    ) throws(PlatformError) -> [Report] {
        let parser = ReportParser(app: app)
        guard saysJSON else {
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
