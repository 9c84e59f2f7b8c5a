import Ground

extension HeadParser {
    /// Determines the form of a target and finds its path and query (RFC 9112 §3.2).
    ///
    /// Runs once the version is known, so that the preface of HTTP/2, `PRI * HTTP/2.0`, is rejected for its version.
    @inline(__always)
    mutating func readForm(_ bytes: Span<UInt8>, into head: inout RequestHead) throws(HeadError) {
        switch bytes[target.lowerBound] {
        case ASCII.slash:
            split(at: target.lowerBound, of: bytes, into: &head)
        case ASCII.asterisk:
            guard target.count == 1, head.method == .options else { throw .malformed }
            head.pathRange = target
        default:
            let authority = try authority(in: bytes)
            framing.authority = authority
            split(at: authority.upperBound, of: bytes, into: &head)
            // An empty path means `/`; the range of the second slash of `//` provides one.
            if head.pathRange.isEmpty { head.pathRange = authority.lowerBound - 1..<authority.lowerBound }
        }
    }

    @inline(__always)
    private func split(at path: Int, of bytes: Span<UInt8>, into head: inout RequestHead) {
        var end = path
        while end < target.upperBound, bytes[end] != ASCII.question { end += 1 }
        head.pathRange = path..<end
        head.queryRange = min(end + 1, target.upperBound)..<target.upperBound
    }

    /// Returns the authority of an absolute-form target with the scheme `http` or `https`.
    private func authority(in bytes: Span<UInt8>) throws(HeadError) -> Range<Int> {
        let scheme =
            target.count > 5 && ASCII.lowercased(bytes[target.lowerBound + 4]) == 0x73 ? "https://" : "http://"
        let start = target.lowerBound + scheme.utf8.count
        guard start < target.upperBound,
            bytes.extracting(target.lowerBound..<start).equals(lowercased: scheme)
        else { throw .malformed }
        var end = start
        while end < target.upperBound, bytes[end] != ASCII.slash, bytes[end] != ASCII.question { end += 1 }
        guard Authority.isValid(bytes.extracting(start..<end)) else { throw .malformed }
        return start..<end
    }
}
