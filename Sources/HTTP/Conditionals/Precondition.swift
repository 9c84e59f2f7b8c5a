/// How the conditions of a request turn out for a representation (RFC 9110 §13.2.2).
package enum Precondition: Hashable, Sendable {
    /// None stands in the way: the whole.
    case proceed
    /// Parts of it, none of which overlap: 206.
    case partial([Range<Int>])
    /// The client has it: 304.
    case notModified
    /// 412.
    case failed
    /// 416.
    case unsatisfiable

    /// Evaluates the conditions in the order that the RFC prescribes.
    ///
    /// - Parameters:
    ///   - etag: the current entity tag, with its quotes.
    ///   - lastModified: the current modification date.
    ///   - length: the length in bytes, for ranges.
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

    /// If-Match, or in its absence If-Unmodified-Since.
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

    /// If-None-Match, or in its absence and for reading If-Modified-Since.
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

    /// Range, if If-Range lets it count; ranges are defined for `GET` alone.
    private static func range(
        _ head: RequestHead, etag: String, lastModified: HTTPDate?, length: Int
    ) -> Precondition {
        let fields = head.allBytes(of: .range)
        // Two such fields could be taken for either: as one that cannot be read, they are passed over.
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
