import Domain
import HTTP
import Platform

/// `/report`: stores reports before it acknowledges them.
///
/// Seed 000's client sends a bare request, `GET` or `POST` with any body: that is answered 202 too, and counts for
/// nothing. What calls itself JSON is held to be meant, and refused where it is not right.
final class ReportEndpoint: Sendable {
    static let bodyLimit = 1 << 20

    private let live: LiveApps
    private let intake: ReportIntake

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
        let body: [UInt8]
        do throws(BodyError) { body = try await request.body.collect(upTo: Self.bodyLimit) } catch {
            throw error.platformError
        }
        let saysJSON = request.head[.contentType].map { $0.lowercased().hasPrefix("application/json") } ?? false
        let parser = ReportParser(app: base.app)
        let reports: [Report]
        if saysJSON {
            guard let json = JSON(parsing: body) else {
                throw PlatformError(.invalidRequest, "The body is not JSON.")
            }
            reports = try parser.reports(in: json)
        } else {
            reports = JSON(parsing: body).flatMap { try? parser.reports(in: $0) } ?? []
        }
        let ignored = try await intake.accept(reports).count { $0 == .ignored }
        return Self.accepted(reports.count - ignored, ignored: ignored)
    }

    private static func accepted(_ count: Int, ignored: Int = 0) -> Response {
        let ignored: JSON? = ignored > 0 ? .integer(Int64(ignored)) : nil
        return .json(.accepted, .object(["accepted": .integer(Int64(count)), "ignored": ignored])).readableByPages
    }
}
