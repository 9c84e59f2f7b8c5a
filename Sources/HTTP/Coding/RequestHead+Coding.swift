extension RequestHead {
    /// Selects the coding of the response for a file that exists uncompressed and in gzip.
    ///
    /// A condition that names a variant selects it if the request accepts its coding, since the client's copy is
    /// current. A range request gets part of the uncompressed file, the only variant that supports ranges. Otherwise
    /// `Accept-Encoding` decides, as for ``PreparedResource``.
    ///
    /// - Parameter name: The entity tag of the uncompressed file, without quotes; see ``ContentCoding/etag(_:)``.
    package func coding(ofTagNamed name: String) -> ContentCoding {
        let accepted = AcceptedCodings(self)
        guard accepted.accepts(.gzip), bytes(of: .range) == nil else { return .identity }
        let gzip = accepted.weight(of: .gzip)
        let preferred = gzip >= accepted.weight(of: .identity) ? ContentCoding.gzip : .identity
        let other = preferred == .gzip ? ContentCoding.identity : .gzip
        guard accepted.accepts(other), !names(preferred, name), names(other, name) else { return preferred }
        return other
    }

    /// Whether `If-Match`, or without it `If-None-Match`, names the variant in this coding.
    private func names(_ coding: ContentCoding, _ name: String) -> Bool {
        let etag = coding.etag(name)
        let matches = allBytes(of: .ifMatch)
        guard matches.isEmpty else {
            return matches.contains { EntityTag.list($0, names: etag.utf8, weakly: false) }
        }
        return allBytes(of: .ifNoneMatch).contains { EntityTag.list($0, names: etag.utf8, weakly: true) }
    }
}
