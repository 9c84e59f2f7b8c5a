import Ground

/// Comparison of entity tags (RFC 9110 §8.8.3) in the lists that conditions carry.
enum EntityTag {
    /// Returns whether a list names a tag or is `*`; `weakly` ignores the `W/` of both.
    ///
    /// The part of a list after a syntax error names no tag.
    static func list(_ list: ArraySlice<UInt8>, names tag: some Collection<UInt8>, weakly: Bool) -> Bool {
        if list.elementsEqual(CollectionOfOne(ASCII.asterisk)) { return true }
        var index = list.startIndex
        while index < list.endIndex {
            let byte = list[index]
            if byte == ASCII.comma || byte == ASCII.space || byte == ASCII.tab {
                index += 1
                continue
            }
            guard let end = end(of: list[index...]) else { return false }
            if isEqual(list[index..<end], tag, weakly: weakly) { return true }
            index = end
        }
        return false
    }

    /// Whether two tags match by the strong or the weak comparison.
    static func isEqual(
        _ left: some Collection<UInt8>, _ right: some Collection<UInt8>, weakly: Bool
    ) -> Bool {
        if weakly { return opaque(left).elementsEqual(opaque(right)) }
        return !isWeak(left) && left.elementsEqual(right)
    }

    static func isWeak(_ tag: some Collection<UInt8>) -> Bool {
        tag.starts(with: [0x57, ASCII.slash])
    }

    private static func opaque<Tag: Collection<UInt8>>(_ tag: Tag) -> Tag.SubSequence {
        isWeak(tag) ? tag.dropFirst(2) : tag[...]
    }

    /// Returns the tags of a list with their `W/` and quotes, or `nil` if it is malformed (RFC 9110 §5.6.1, §8.8.3).
    static func tags(in list: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var tags: [ArraySlice<UInt8>] = []
        var index = list.startIndex
        var isAfterTag = false
        while index < list.endIndex {
            switch list[index] {
            case ASCII.comma:
                isAfterTag = false
                index += 1
            case ASCII.space, ASCII.tab: index += 1
            default:
                guard !isAfterTag, let end = end(of: list[index...]), list[index..<end].allSatisfy(isTagByte) else {
                    return nil
                }
                tags.append(list[index..<end])
                isAfterTag = true
                index = end
            }
        }
        return tags
    }

    /// Whether a tag may contain a byte; includes its quotes and `W/`.
    private static func isTagByte(_ byte: UInt8) -> Bool { byte > ASCII.space && byte != 0x7F }

    /// Returns the end of the tag that `text` begins with.
    private static func end(of text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        if isWeak(text) { index += 2 }
        guard index < text.endIndex, text[index] == ASCII.quote else { return nil }
        return text[(index + 1)...].firstIndex(of: ASCII.quote).map { $0 + 1 }
    }
}
