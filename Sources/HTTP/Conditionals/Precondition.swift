import Ground

/// The result of a request's conditions and ranges for a representation (RFC 9110 §13.2.2).
package enum Precondition: Hashable, Sendable {
    /// All conditions hold and the response is the whole: 200.
    case proceed
    /// All conditions hold and the response is these disjoint parts: 206.
    case partial([Range<Int>])
    /// The client's copy is current: 304.
    case notModified
    /// A condition failed: 412.
    case failed
    /// No range lies within the representation: 416.
    case unsatisfiable

    /// Evaluates the conditions in the order that the RFC prescribes.
    ///
    /// - Parameters:
    ///   - etag: The current entity tag, with its quotes.
    ///   - lastModified: The current modification date.
    ///   - length: The length in bytes, for ranges.
    package init(_ head: RequestHead, etag: String, lastModified: HTTPDate? = nil, length: Int) {
        let isRead = head.method == .get || head.method == .head
        if !Self.holds(head, etag: etag, lastModified: lastModified) {
            self = .failed
        } else if Self.isCurrent(head, etag: etag, lastModified: lastModified, isRead: isRead) {
            self = isRead ? .notModified : .failed
        } else {
            self = Self.range(head, etag: etag, lastModified: lastModified, length: length)
        }
    }

    /// Evaluates `If-Match`, or without it `If-Unmodified-Since`.
    private static func holds(_ head: RequestHead, etag: String, lastModified: HTTPDate?) -> Bool {
        let matches = head.allBytes(of: .ifMatch)
        guard matches.isEmpty else {
            return matches.contains { EntityTag.list($0, names: etag.utf8, weakly: false) }
        }
        guard let lastModified, let date = head.bytes(of: .ifUnmodifiedSince).flatMap({ HTTPDate($0) }) else {
            return true
        }
        return lastModified <= date
    }

    /// Evaluates `If-None-Match`, or without it and for `GET` and `HEAD` `If-Modified-Since`.
    private static func isCurrent(
        _ head: RequestHead, etag: String, lastModified: HTTPDate?, isRead: Bool
    ) -> Bool {
        let matches = head.allBytes(of: .ifNoneMatch)
        guard matches.isEmpty else {
            return matches.contains { EntityTag.list($0, names: etag.utf8, weakly: true) }
        }
        guard isRead, let lastModified, let date = head.bytes(of: .ifModifiedSince).flatMap({ HTTPDate($0) }) else {
            return false
        }
        return lastModified <= date
    }

    /// Evaluates `Range` if `If-Range` permits it; ranges are defined for `GET` alone.
    private static func range(
        _ head: RequestHead, etag: String, lastModified: HTTPDate?, length: Int
    ) -> Precondition {
        let fields = head.allBytes(of: .range)
        // Two such fields are ambiguous and ignored like a malformed one.
        guard head.method == .get, fields.count == 1, let field = fields.first else { return .proceed }
        if let condition = head.bytes(of: .ifRange) {
            let isSame =
                condition.contains(ASCII.quote)
                ? EntityTag.isEqual(condition, etag.utf8, weakly: false)
                : lastModified != nil && HTTPDate(condition) == lastModified
            guard isSame else { return .proceed }
        }
        return switch ByteRanges(field, length: length) {
        case .whole: .proceed
        case .parts(let parts): .partial(parts)
        case .unsatisfiable: .unsatisfiable
        }
    }
}
