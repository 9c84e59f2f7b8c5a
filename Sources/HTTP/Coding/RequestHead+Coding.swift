extension RequestHead {
    /// Which representation answers this request, of a file that there is as it is and in gzip.
    ///
    /// One that a condition names, if the request accepts its coding: what its sender keeps is good. A request for a
    /// part gets it of the file as it is, the one that has parts. Otherwise `Accept-Encoding` decides, as for
    /// ``PreparedResource``.
    ///
    /// - Parameter name: What is in the entity tag of the bytes as they are; see ``ContentCoding/etag(_:)``.
    package func coding(ofTagNamed name: String) -> ContentCoding {
        let accepted = AcceptedCodings(self)
        guard accepted.accepts(.gzip), bytes(of: .range) == nil else { return .identity }
        let gzip = accepted.weight(of: .gzip)
        let preferred = gzip >= accepted.weight(of: .identity) ? ContentCoding.gzip : .identity
        let other = preferred == .gzip ? ContentCoding.identity : .gzip
        guard accepted.accepts(other), !names(preferred, name), names(other, name) else { return preferred }
        return other
    }

    /// Whether the condition that comes first of those there are names a representation.
    private func names(_ coding: ContentCoding, _ name: String) -> Bool {
        let etag = coding.etag(name)
        let matches = allBytes(of: .ifMatch)
        guard matches.isEmpty else {
            return matches.contains { EntityTag.list($0, names: etag.utf8, weakly: false) }
        }
        return allBytes(of: .ifNoneMatch).contains { EntityTag.list($0, names: etag.utf8, weakly: true) }
    }
}
