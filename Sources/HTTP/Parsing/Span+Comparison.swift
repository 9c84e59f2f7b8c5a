extension Span<UInt8> {
    /// Whether the bytes are `text`, which is in lower case, without regard to case.
    @inline(__always)
    func equals(lowercased text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var offset = 0
        for byte in text.utf8 {
            guard ASCII.lowercased(self[offset]) == byte else { return false }
            offset += 1
        }
        return true
    }

    /// Whether the bytes are exactly those of `text`.
    @inline(__always)
    func equals(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        var offset = 0
        for byte in text.utf8 {
            guard self[offset] == byte else { return false }
            offset += 1
        }
        return true
    }
}
