import Ground

extension ArraySlice<UInt8> {
    /// Returns the bytes without spaces and tabs at both ends (RFC 9110 §5.6.3).
    package func trimmingBlanks() -> ArraySlice<UInt8> {
        var slice = drop(while: ASCII.isSpace)
        while let last = slice.last, ASCII.isSpace(last) { slice.removeLast() }
        return slice
    }
}
