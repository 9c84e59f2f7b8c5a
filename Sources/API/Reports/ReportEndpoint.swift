import Domain
import Execution
import Ground
import HTTP
import Platform

/// The endpoint `/report`, which stores reports before it acknowledges them.
///
/// A bare request of seed 000's client, `GET` or `POST` without a body or with plain text, gets 202 as well and is not
/// stored. Any other body that cannot be read as reports is an error (decision 0054). An invalid report among others is
/// refused alone (decision 0070).
final class ReportEndpoint: Sendable {
    static let bodyLimit = 1 << 20
    /// The limit on a body that was sent with gzip, once it is expanded.
    static let expandedLimit = bodyLimit
    /// The limit on the bytes of bodies that are being read or wait to be stored; past it, requests get `busy`.
    static let bodyBudget = 32 << 20
    /// The part of ``bodyBudget`` for one IPv4 address or one /56 of IPv6, so that one client cannot keep the others out.
    static let bodyBudgetPerClient = bodyBudget / 4
    /// The refused reports that a response lists.
    static let listedRefusals = 100

    /// The longest body that is parsed on the event loop: a megabyte of JSON takes a tenth of a second.
    static let bytesReadOnLoop = 16 << 10

    private let live: LiveApps
    private let intake: ReportIntake
    private let compressor: any TextCompressor
    private let clock: any WallClock
    private let counters: ReportCounters
    /// The pool that expands bodies and parses longer ones.
    private let work: WorkExecutor
    private let budget = BodyBudget(capacity: bodyBudget, capacityPerClient: bodyBudgetPerClient)

    init(services: Services, counters: ReportCounters) {
        live = services.live
        intake = services.reports
        compressor = services.compressor
        clock = services.clock
        self.counters = counters
        work = services.pools.reports
    }

    /// Returns the response to a bare `GET`.
    func bare(_ base: ClientBase) throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        counters.noteBare()
        return Self.accepted([], of: .init())
    }

    func respond(_ request: Request, _ base: ClientBase) async throws(PlatformError) -> Response {
        _ = try live.requireApp(at: base)
        let head = request.head
        let coding = try ReportBody.Coding(of: head)
        var share = budget.share(for: head.client)
        var body = try await share.collect(request.body, upTo: Self.bodyLimit)
        if coding == .gzip {
            body = try await expanded(body)
            try share.take(body.count)
        }
        let parsed = try await parse(body, of: head, base.app)
        guard let parsed else {
            counters.noteBare()
            return Self.accepted([], of: .init())
        }
        if parsed.reports.isEmpty, let first = parsed.refused.first {
            counters.note(parsed, [], of: base.app, at: clock.now())
            throw PlatformError(
                .invalidRequest, "Every report of the request is refused. The first one: \(first.reason)",
                facts: Self.refusals(parsed))
        }
        let outcomes = try await accept(parsed.reports)
        share.end()
        counters.note(parsed, outcomes, of: base.app, at: clock.now())
        return Self.accepted(outcomes, of: parsed)
    }

    private func accept(_ reports: [Report]) async throws(PlatformError) -> [ReportOutcome] {
        do throws(PlatformError) { return try await intake.accept(reports) } catch {
            // Clients of reports repeat a request after 503; few know 507.
            guard error.code == .storageFull else { throw error }
            throw PlatformError(.storageUnavailable, error.message, cause: error.cause)
        }
    }

    private func expanded(_ body: [UInt8]) async throws(PlatformError) -> [UInt8] {
        try await work.run { [compressor] () throws(PlatformError) in
            do throws(ExpansionError) { return try compressor.gunzip(body, upTo: Self.expandedLimit) } catch {
                switch error {
                case .tooLarge:
                    throw PlatformError(
                        .bodyTooLarge,
                        """
                        The body expands to more than \(ByteCount.text(Self.expandedLimit)), the limit of this route. \
                        Send fewer reports at a time.
                        """)
                case .damaged:
                    throw PlatformError(
                        .invalidRequest, "The body is not a whole gzip file. Send it again, or without a coding.")
                case .memoryIsShort:
                    throw PlatformError(.busy, "The server is short of memory. Send this request again later.")
                }
            }
        }
    }

    /// Returns the reports of a body; `nil` for a bare report.
    private func parse(
        _ body: [UInt8], of head: RequestHead, _ app: AppID
    ) async throws(PlatformError) -> ReportParser.Parsed? {
        guard body.count > Self.bytesReadOnLoop else { return try Self.reports(in: body, of: head, app) }
        return try await work.run { () throws(PlatformError) in try Self.reports(in: body, of: head, app) }
    }

    private static func reports(
        in bytes: [UInt8], of head: RequestHead, _ app: AppID
    ) throws(PlatformError) -> ReportParser.Parsed? {
        // JSON must not begin with a byte order mark (RFC 8259 §8.1), but some encoders write one.
        let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let parser = ReportParser(app: app)
        switch try ReportBody(body, of: head) {
        case .bare: return nil
        case .lines: return try parser.reports(inLines: body)
        case .reports:
            guard let json = JSON(parsing: body) else {
                throw PlatformError(
                    .invalidRequest,
                    """
                    The body is not JSON. Send one report, or an array of reports; send one on each line as \
                    application/x-ndjson.
                    """)
            }
            return try parser.reports(in: json)
        }
    }

    private static func accepted(_ outcomes: [ReportOutcome], of parsed: ReportParser.Parsed) -> Response {
        func present(_ count: Int) -> JSON? { count > 0 ? .integer(Int64(count)) : nil }
        let ignored = outcomes.count(where: \.isIgnored)
        let body: [JSON.Member] = [
            .init("accepted", .integer(Int64(outcomes.count - ignored))),
            present(ignored).map { .init("ignored", $0) },
            present(outcomes.count { $0 == .spooled }).map { .init("spooled", $0) },
        ].compactMap { $0 }
        return .json(.accepted, .object(body + refusals(parsed))).readableByPages
    }

    /// The members of a response that name the refused reports; none if all are valid.
    private static func refusals(_ parsed: ReportParser.Parsed) -> [JSON.Member] {
        guard !parsed.refused.isEmpty else { return [] }
        let listed = parsed.refused.prefix(listedRefusals).map { refusal -> JSON in
            .object(["index": .integer(Int64(refusal.index)), "reason": .string(refusal.reason)])
        }
        let unlisted = parsed.refused.count - listed.count
        return [.init("refused", .array(listed))]
            + (unlisted > 0 ? [.init("refusedUnlisted", .integer(Int64(unlisted)))] : [])
    }
}
