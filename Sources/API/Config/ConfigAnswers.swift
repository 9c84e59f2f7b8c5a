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
    let content: ConfigContent
    /// Of answers that are signed as a whole.
    let heading: SignedHeading?
    /// The first of the times to download that the document names; then another is due.
    let downloadAfter: Timestamp?
    /// The last instant at which these headers are right.
    private let goodThrough: Timestamp
    private let shared: PreparedResource
    private let perDevice: PreparedResource

    /// What `Content-Type` says.
    static let contentType = "application/json"

    /// - Parameters:
    ///   - content: The document of `view`.
    ///   - heading: The signatures over it; `nil` for answers that are not signed as a whole.
    init(
        view: ChannelView, content: ConfigContent, heading: SignedHeading? = nil, downloadAfter: Timestamp?,
        at now: Timestamp
    ) {
        self.view = view
        self.content = content
        self.heading = heading
        self.downloadAfter = downloadAfter
        var maxAge = Self.sharedMaxAge
        var goodThrough = Timestamp(milliseconds: .max)
        if let boundary = [view.boundary, heading?.expires, downloadAfter].compactMap(\.self).min() {
            // Rounded down, so that no cache keeps the answer past the boundary.
            let seconds = max(0, (boundary.milliseconds - now.milliseconds) / 1000)
            maxAge = min(maxAge, seconds)
            goodThrough = boundary.adding(milliseconds: -maxAge * 1000)
        }
        // Past the boundary, until the switch is made, nothing may be kept.
        self.goodThrough = maxAge == 0 ? Timestamp(milliseconds: .max) : goodThrough
        shared = Self.resource(
            view, content, heading, cacheControl: "max-age=0, must-revalidate, s-maxage=\(maxAge)")
        perDevice = Self.resource(view, content, heading, cacheControl: "private, no-cache")
    }

    func isGood(for view: ChannelView, at now: Timestamp) -> Bool {
        self.view === view && now <= goodThrough
    }

    func answer(to head: RequestHead) -> PreparedResponse {
        let resource = head.hasQuery && head.query["deviceId"] != nil ? perDevice : shared
        return resource.answer(to: head)
    }

    private static func resource(
        _ view: ChannelView, _ content: ConfigContent, _ heading: SignedHeading?, cacheControl: String
    ) -> PreparedResource {
        var fields: Fields = [
            .contentType: contentType,
            // What is signed stays as it is: URL loaders hide the bytes of a coding.
            .cacheControl: heading == nil ? cacheControl : cacheControl + ", no-transform",
            .vary: FieldName.acceptSignature.name,
            .larderConfigVersion: String(view.configVersion),
            .larderCursor: view.cursor.description,
            .larderPollAfter: String(pollAfter),
        ]
        CORS.add(to: &fields)
        if let heading {
            for field in heading.fields.all { fields[field.name] = field.value }
            return PreparedResource(
                CodedBody(content.body.identity), etagName: heading.etagName, fields: fields)
        }
        return PreparedResource(content.body, etagName: content.etagName, fields: fields)
    }
}

extension RequestHead {
    /// Whether there is a query at all; cheaper than reading it.
    var hasQuery: Bool { !queryRange.isEmpty }

    /// The query with its `?`, as it came; empty where there is none.
    var querySuffix: String { hasQuery ? "?" + String(decoding: bytes[queryRange], as: UTF8.self) : "" }
}
