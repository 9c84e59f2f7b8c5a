import Ground

/// The parsed value of `If-Match` (RFC 9110 §13.1.1), for requests that change an object.
package enum TagCondition: Equatable, Sendable {
    /// `*`
    case any
    /// The opaque parts of the strong tags; weak tags never match and are left out.
    case tags(Set<String>)
    case malformed

    /// Reads all lines of the field; returns `nil` without one.
    package init?(_ head: RequestHead) {
        let lines = head.allBytes(of: .ifMatch)
        guard !lines.isEmpty else { return nil }
        if lines.count == 1, lines[0].elementsEqual(CollectionOfOne(ASCII.asterisk)) {
            self = .any
            return
        }
        var tags: Set<String> = []
        var count = 0
        for line in lines {
            guard let found = EntityTag.tags(in: line) else {
                self = .malformed
                return
            }
            count += found.count
            for tag in found where !EntityTag.isWeak(tag) {
                tags.insert(String(decoding: tag.dropFirst().dropLast(), as: UTF8.self))
            }
        }
        self = count > 0 ? .tags(tags) : .malformed
    }
}
