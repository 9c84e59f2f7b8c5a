import Domain
import HTTP
import Platform

/// The ready-made answers to `/config` for one view, good until an instant.
final class ConfigAnswers: Sendable {
    /// Seconds that a shared cache may keep an answer at most.
    static let sharedMaxAge: Int64 = 30
    /// Seconds after which a client is asked to look again.
    static let pollAfter = 300

    let view: ChannelView
    /// The last instant at which these headers are right.
    private let goodThrough: Timestamp
    private let etag: [UInt8]
    private let shared: Pair
    private let perDevice: Pair

    private struct Pair {
        let full: PreparedResponse
        let notModified: PreparedResponse
    }

    /// - Parameter body: The document of `view`.
    init(view: ChannelView, body: [UInt8], etag: String, at now: Timestamp) {
        self.view = view
        self.etag = Array(etag.utf8)
        var maxAge = Self.sharedMaxAge
        var goodThrough = Timestamp(milliseconds: .max)
        if let boundary = view.boundary {
            // Rounded down, so that no cache keeps the answer past the boundary.
            let seconds = max(0, (boundary.milliseconds - now.milliseconds) / 1000)
            maxAge = min(maxAge, seconds)
            goodThrough = boundary.adding(milliseconds: -maxAge * 1000)
        }
        // Past the boundary, until the switch is made, nothing may be kept.
        self.goodThrough = maxAge == 0 ? Timestamp(milliseconds: .max) : goodThrough
        shared = Self.pair(
            view, body, etag, cacheControl: "max-age=0, must-revalidate, s-maxage=\(maxAge)")
        perDevice = Self.pair(view, body, etag, cacheControl: "private, no-cache")
    }

    func isGood(for view: ChannelView, at now: Timestamp) -> Bool {
        self.view === view && now <= goodThrough
    }

    func answer(to head: RequestHead) -> PreparedResponse {
        let pair = head.hasQuery && head.query["deviceId"] != nil ? perDevice : shared
        return head.matchesETag(etag) ? pair.notModified : pair.full
    }

    private static func pair(_ view: ChannelView, _ body: [UInt8], _ etag: String, cacheControl: String) -> Pair {
        var fields: Fields = [
            .contentType: "application/json",
            .cacheControl: cacheControl,
            .etag: etag,
            .larderConfigVersion: String(view.configVersion),
            .larderCursor: view.cursor.description,
            .larderPollAfter: String(pollAfter),
        ]
        CORS.add(to: &fields)
        let full = PreparedResponse(.ok, fields: fields, body: body)
        fields[.contentType] = nil
        return Pair(full: full, notModified: PreparedResponse(.notModified, fields: fields))
    }
}

extension RequestHead {
    /// Whether there is a query at all; cheaper than reading it.
    var hasQuery: Bool { !queryRange.isEmpty }
}
