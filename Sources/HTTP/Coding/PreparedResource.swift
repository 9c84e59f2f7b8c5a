/// A resource whose answers to `GET` are all made ready: in each coding, the whole and 304, and 412.
///
/// Choosing one allocates nothing. It has no modification date, so that conditions on one are passed over
/// (RFC 9110 §13.1.3, §13.1.4), and no ranges.
package final class PreparedResource: Sendable {
    /// The answers in one coding.
    private final class Variant: Sendable {
        let coding: ContentCoding
        let etag: [UInt8]
        let full: PreparedResponse
        let notModified: PreparedResponse

        init(_ coding: ContentCoding, _ body: [UInt8], name: String, fields: Fields) {
            self.coding = coding
            let etag = coding.etag(name)
            var fields = fields
            fields[.etag] = etag
            self.etag = Array(etag.utf8)
            notModified = PreparedResponse(.notModified, fields: fields.withoutBody)
            fields[.contentEncoding] = coding.token
            full = PreparedResponse(.ok, fields: fields, body: body)
        }

        init(withoutBody variant: Variant) {
            coding = variant.coding
            etag = variant.etag
            notModified = variant.notModified
            full = variant.full.withoutBody
        }
    }

    private let identity: Variant
    /// The others, the one that is preferred among equals last.
    private let coded: [Variant]
    private let failed: PreparedResponse

    /// - Parameters:
    ///   - body: The representations.
    ///   - etagName: What is in the entity tag of the bytes as they are, without quotes; see ``ContentCoding/etag(_:)``.
    ///   - fields: All others, `Content-Type` and `Cache-Control` among them.
    package init(_ body: CodedBody, etagName: String, fields: Fields) {
        var fields = fields
        if body.isNegotiated {
            fields[.vary] = [FieldName.acceptEncoding.name, fields[.vary]].compactMap(\.self).joined(separator: ", ")
        }
        identity = Variant(.identity, body.identity, name: etagName, fields: fields)
        coded = [(ContentCoding.gzip, body.gzip), (.brotli, body.brotli)].compactMap { coding, bytes in
            bytes.map { Variant(coding, $0, name: etagName, fields: fields) }
        }
        failed = PreparedResponse(.preconditionFailed, fields: fields.ofRefusal)
    }

    fileprivate init(withoutBodies resource: PreparedResource) {
        identity = Variant(withoutBody: resource.identity)
        coded = resource.coded.map(Variant.init(withoutBody:))
        failed = resource.failed
    }

    /// The answer that a request's conditions and `Accept-Encoding` lead to (RFC 9110 §13.2.2, §12.5.3).
    ///
    /// Where no coding is accepted, the bytes are sent as they are, and not 406: a client that can read none of them
    /// is worse off without. A condition that names another representation than the one that is chosen holds as well,
    /// if the request accepts its coding: what its sender keeps is good, and 304 says which it is.
    package func answer(to head: RequestHead) -> PreparedResponse {
        let fields = ChoosingFields(head)
        var accepted = AcceptedCodings()
        if !coded.isEmpty, let lines = fields.acceptEncoding {
            accepted = lines.isOnly ? AcceptedCodings(head.bytes.span.extracting(lines.first)) : AcceptedCodings(head)
        }
        let chosen = variant(for: accepted)
        if let lines = fields.ifMatch, match(head, .ifMatch, lines, chosen, accepted, weakly: false) == nil {
            return failed
        }
        guard let lines = fields.ifNoneMatch else { return chosen.full }
        return match(head, .ifNoneMatch, lines, chosen, accepted, weakly: true)?.notModified ?? chosen.full
    }

    private func variant(for accepted: AcceptedCodings) -> Variant {
        var best = identity
        var weight = accepted.weight(of: .identity)
        for variant in coded {
            let own = accepted.weight(of: variant.coding)
            guard own > 0, own >= weight else { continue }
            best = variant
            weight = own
        }
        return best
    }

    /// The representation that a list of entity tags names.
    private func match(
        _ head: RequestHead, _ name: FieldName, _ lines: ChoosingFields.Lines, _ chosen: Variant,
        _ accepted: AcceptedCodings, weakly: Bool
    ) -> Variant? {
        if head.list(name, lines, names: chosen.etag, weakly: weakly) { return chosen }
        guard !coded.isEmpty else { return nil }
        return ([identity] + coded).first { variant in
            accepted.accepts(variant.coding) && head.list(name, lines, names: variant.etag, weakly: weakly)
        }
    }
}

/// The answers of a prepared resource that need no body: to `HEAD`, 304 and 412.
///
/// A kilobyte or two, however long the body is.
package final class PreparedOutline: Sendable {
    private let resource: PreparedResource

    package init(of resource: PreparedResource) {
        self.resource = PreparedResource(withoutBodies: resource)
    }

    /// The answer to a request; `nil` if it needs the body.
    package func answer(to head: RequestHead) -> PreparedResponse? {
        let answer = resource.answer(to: head)
        return head.method == .head || answer.status != .ok ? answer : nil
    }
}
