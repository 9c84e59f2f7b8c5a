import Ground

extension Span<UInt8> {
    /// Whether the bytes equal `text`, which is in lower case, case-insensitively.
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

    /// Whether the bytes equal `text`.
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
