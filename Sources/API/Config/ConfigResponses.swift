import Domain
import Ground
import HTTP
import Platform

/// The prepared responses to `/config` for one document of a view, valid until a given instant.
final class ConfigResponses: Sendable {
    /// The longest time in seconds for which a shared cache may store a response.
    static let sharedMaxAge: Int64 = 30

    let key: ConfigCache.Key
    let view: ChannelView
    let content: ConfigContent
    /// The signatures over the whole response; `nil` if the response is unsigned.
    let signatures: ResponseSignatures?
    /// The earliest download time that the document names; the document changes at that time.
    let downloadAfter: Timestamp?
    /// The last instant at which the `Cache-Control` and the `Larder-Poll-After` of the responses are correct.
    private let validThrough: Timestamp
    private let shared: PreparedResource
    private let perDevice: PreparedResource

    /// The value of `Content-Type`.
    static let contentType = "application/json"

    /// - Parameters:
    ///   - content: The document of `view`.
    ///   - signatures: The signatures over it; `nil` for responses that are not signed as a whole.
    init(
        _ key: ConfigCache.Key, view: ChannelView, content: ConfigContent, signatures: ResponseSignatures? = nil,
        downloadAfter: Timestamp?, at now: Timestamp
    ) {
        self.key = key
        self.view = view
        self.content = content
        self.signatures = signatures
        self.downloadAfter = downloadAfter
        var maxAge = Self.sharedMaxAge
        var validThrough = Timestamp(milliseconds: .max)
        if let boundary = [view.boundary, signatures?.expires, downloadAfter].compactMap(\.self).min() {
            // Rounded down, so that no cache keeps the response past the boundary.
            let seconds = max(0, (boundary.milliseconds - now.milliseconds) / 1000)
            maxAge = min(maxAge, seconds)
            validThrough = boundary.adding(milliseconds: -maxAge * 1000)
        }
        let interval = PollInterval(
            before: [view.boundary, downloadAfter].compactMap(\.self).min(), at: now, cachedFor: maxAge)
        if let end = interval.validThrough { validThrough = min(validThrough, end) }
        // Between the boundary and the switch of the view, caches must not store a response.
        self.validThrough = maxAge == 0 ? Timestamp(milliseconds: .max) : validThrough
        shared = Self.resource(
            view, content, signatures, interval, cacheControl: "max-age=0, must-revalidate, s-maxage=\(maxAge)")
        perDevice = Self.resource(view, content, signatures, interval, cacheControl: "private, no-cache")
    }

    /// Returns whether the responses are those of a view, with signatures by the current keys if they have any.
    func isValid(for view: ChannelView, _ signing: ConfigSigning, at now: Timestamp) -> Bool {
        guard self.view === view, now <= validThrough else { return false }
        guard case .signed(let signer) = signing else { return signatures == nil }
        return signatures?.isValid(keyRevision: signer.revision, at: now) ?? false
    }

    /// The right to make the codings of the document; `nil` if they are made, or the responses have none.
    ///
    /// A signed body stays uncoded: URL loaders hide the bytes of a coding from the app that verifies them.
    var codingClaim: ConfigContent.Claim? { signatures == nil ? content.claim : nil }

    func response(to head: RequestHead) -> PreparedResponse {
        let resource = head.hasQuery && head.query["deviceId"] != nil ? perDevice : shared
        return resource.respond(to: head)
    }

    private static func resource(
        _ view: ChannelView, _ content: ConfigContent, _ signatures: ResponseSignatures?, _ interval: PollInterval,
        cacheControl: String
    ) -> PreparedResource {
        var fields: Fields = [
            .contentType: contentType,
            .cacheControl: signatures == nil ? cacheControl : cacheControl + ", no-transform",
            .vary: FieldName.acceptSignature.name,
            .larderConfigVersion: String(view.configVersion),
            .larderCursor: view.cursor.description,
            .larderPollAfter: String(interval.seconds),
        ]
        CORS.add(to: &fields)
        if let signatures {
            for field in signatures.fields.all { fields[field.name] = field.value }
            return PreparedResource(
                CodedBody(content.body.identity), etagName: signatures.etagName, fields: fields)
        }
        return PreparedResource(content.body, etagName: content.etagName, fields: fields)
    }
}

extension RequestHead {
    /// Whether the URL has a query; cheaper than parsing the query.
    package var hasQuery: Bool { !queryRange.isEmpty }

    /// The query as received, with its `?`; empty if there is no query.
    var querySuffix: String { hasQuery ? "?" + String(decoding: bytes[queryRange], as: UTF8.self) : "" }
}
