/// A resource whose responses to `GET` are prepared: 200 and 304 in each coding, and 412.
///
/// Selecting a response allocates nothing. The resource has no modification date, so conditions on a date are ignored
/// (RFC 9110 §13.1.3, §13.1.4), and it has no ranges.
package final class PreparedResource: Sendable {
    /// The prepared responses in one coding.
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
    /// The variants in other codings; among equal weights the last one is preferred.
    private let coded: [Variant]
    private let failed: PreparedResponse

    /// - Parameters:
    ///   - body: The representations.
    ///   - etagName: The entity tag of the identity representation, without quotes; see ``ContentCoding/etag(_:)``.
    ///   - fields: All other fields, including `Content-Type` and `Cache-Control`.
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

    /// Selects the response by the request's conditions and its `Accept-Encoding` (RFC 9110 §13.2.2, §12.5.3).
    ///
    /// If the request accepts no coding, the response is 200 with the identity bytes instead of 406, which would help
    /// no client. A condition also holds if it names another variant than the selected one, provided that the request
    /// accepts its coding: the client's copy is current, and the 304 names its tag.
    package func respond(to head: RequestHead) -> PreparedResponse {
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

    /// Returns the variant that a list of entity tags names.
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

/// The responses of a prepared resource that have no body: to `HEAD`, 304 and 412.
///
/// Takes one or two kilobytes, regardless of the length of the body.
package final class PreparedOutline: Sendable {
    private let resource: PreparedResource

    package init(of resource: PreparedResource) {
        self.resource = PreparedResource(withoutBodies: resource)
    }

    /// Returns the response to a request, or `nil` if it needs the body.
    package func respond(to head: RequestHead) -> PreparedResponse? {
        let response = resource.respond(to: head)
        return head.method == .head || response.status != .ok ? response : nil
    }
}
