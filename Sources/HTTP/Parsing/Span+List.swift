import Ground

extension Span<UInt8> {
    /// Returns the range of the list element at `start` without surrounding white space, and moves `start` to the next
    /// one.
    ///
    /// Elements end at a comma (RFC 9110 §5.6.1), even at one in quotes. Returns `nil` after the last; an empty value
    /// has one empty element.
    func listElement(from start: inout Int) -> Range<Int>? {
        guard start <= count else { return nil }
        var end = start
        while end < count, self[end] != ASCII.comma { end += 1 }
        let next = end + 1
        while start < end, ASCII.isSpace(self[start]) { start += 1 }
        while end > start, ASCII.isSpace(self[end - 1]) { end -= 1 }
        defer { start = next }
        return start..<end
    }
}
