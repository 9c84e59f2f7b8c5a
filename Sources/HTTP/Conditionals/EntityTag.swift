/// Comparison of entity tags (RFC 9110 §8.8.3) in the lists that conditions carry.
enum EntityTag {
    /// Whether a list names a tag, or is `*`; `weakly` leaves the `W/` of both out of account.
    ///
    /// A list that breaks off, or is none, names nothing from there on.
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

    /// Whether two tags are the same.
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

    /// The end of the tag that `text` begins with.
    private static func end(of text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        if isWeak(text) { index += 2 }
        guard index < text.endIndex, text[index] == ASCII.quote else { return nil }
        return text[(index + 1)...].firstIndex(of: ASCII.quote).map { $0 + 1 }
    }
}
