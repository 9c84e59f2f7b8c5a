import Domain
import Ground

/// A forward-only position in a range of bytes, so that scanning takes time proportional to the bytes.
struct ByteScanner {
    let bytes: [UInt8]
    private(set) var index: Int
    let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
        self.bytes = bytes
        index = range?.lowerBound ?? 0
        end = range?.upperBound ?? bytes.count
    }

    var isAtEnd: Bool { index >= end }
    var current: UInt8? { index < end ? bytes[index] : nil }

    /// Returns the byte at an offset from the position; `nil` past the end.
    func peek(_ offset: Int) -> UInt8? { index + offset < end ? bytes[index + offset] : nil }

    /// - Parameter word: A literal, so that inlining makes the call free.
    func isAt(_ word: String) -> Bool { isAt(word) { $0 } }

    /// - Parameter word: The word in lower case.
    func isAt(ignoringCase word: String) -> Bool { isAt(word, ASCII.lowercased) }

    @inline(__always)
    private func isAt(_ word: String, _ fold: (UInt8) -> UInt8) -> Bool {
        var position = index
        for byte in word.utf8 {
            guard position < end, fold(bytes[position]) == byte else { return false }
            position += 1
        }
        return true
    }

    mutating func skip(_ count: Int = 1) { index = min(end, index + count) }

    mutating func skipBlanks() {
        while index < end, bytes[index].isBlank { index += 1 }
    }

    /// Skips to the next such byte, or to the end; returns the skipped range.
    @discardableResult
    mutating func skip(to byte: UInt8) -> Range<Int> {
        let start = index
        while index < end, bytes[index] != byte { index += 1 }
        return start..<index
    }

    /// Skips past the next such word, or to the end; returns the range before the word.
    @discardableResult
    mutating func skip(past word: String) -> Range<Int> {
        let start = index
        let first = word.utf8.first
        while index < end {
            if bytes[index] == first, isAt(word) {
                defer { skip(word.utf8.count) }
                return start..<index
            }
            index += 1
        }
        return start..<end
    }

    /// Skips bytes as long as they satisfy the condition; returns their range.
    mutating func take(while isWanted: (UInt8) -> Bool) -> Range<Int> {
        let start = index
        while index < end, isWanted(bytes[index]) { index += 1 }
        return start..<index
    }

    /// Skips a quoted text with escapes, from its opening quote; returns the range between the quotes.
    ///
    /// Ends at the end of the line as well, for an apostrophe or an unclosed quote.
    mutating func takeQuoted() -> Range<Int> {
        guard let quote = current else { return index..<index }
        skip()
        let start = index
        while index < end, bytes[index] != quote, bytes[index] != UInt8(ascii: "\n") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index, end)
        let inside = start..<index
        skip()
        return inside
    }

    /// Returns the text of a range; `nil` if it exceeds the limit.
    func text(_ range: Range<Int>, upTo limit: Int = ByteScanner.maximumTextLength) -> String? {
        range.count <= limit ? String(decoding: bytes[range], as: UTF8.self) : nil
    }

    /// The limit on the bytes of a reference; longer ones are embedded data.
    static let maximumTextLength = 2048
}

extension UInt8 {
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    /// Whether the byte may be in a name in JavaScript or CSS; all non-ASCII bytes may.
    var isWordByte: Bool { ASCII.isAlphanumeric(self) || self == 0x5F || self == 0x24 || self >= 0x80 }
    var isQuote: Bool { self == 0x22 || self == 0x27 }
}
