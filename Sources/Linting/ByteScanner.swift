import Domain
import Ground

/// A place in a range of bytes that only moves forward, so that whatever is read takes time in proportion to its length.
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

    /// The byte so many places on; `nil` past the end.
    func peek(_ offset: Int) -> UInt8? { index + offset < end ? bytes[index + offset] : nil }

    /// - Parameter word: A literal, which costs nothing to pass.
    func isAt(_ word: String) -> Bool { isAt(word) { $0 } }

    /// - Parameter word: In lower case.
    func isAt(ignoringCase word: String) -> Bool { isAt(word, ASCII.lowercased) }

    @inline(__always)
    private func isAt(_ word: String, _ fold: (UInt8) -> UInt8) -> Bool {
        var place = index
        for byte in word.utf8 {
            guard place < end, fold(bytes[place]) == byte else { return false }
            place += 1
        }
        return true
    }

    mutating func skip(_ count: Int = 1) { index = min(end, index + count) }

    mutating func skipBlanks() {
        while index < end, bytes[index].isBlank { index += 1 }
    }

    /// Goes on to the next such byte, or to the end; the range that was passed over.
    @discardableResult
    mutating func skip(to byte: UInt8) -> Range<Int> {
        let start = index
        while index < end, bytes[index] != byte { index += 1 }
        return start..<index
    }

    /// Goes on behind the next such word, or to the end; the range before it.
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

    /// Goes on while bytes are as wanted; the range of those that were.
    mutating func take(while isWanted: (UInt8) -> Bool) -> Range<Int> {
        let start = index
        while index < end, isWanted(bytes[index]) { index += 1 }
        return start..<index
    }

    /// From an opening quote on behind the closing one, over escapes; the range between.
    ///
    /// Ends at the end of the line as well, where the quote was none or was forgotten.
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

    /// The text of a range; `nil` where it is longer than anyone would write.
    func text(_ range: Range<Int>, upTo limit: Int = ByteScanner.maximumTextLength) -> String? {
        range.count <= limit ? String(decoding: bytes[range], as: UTF8.self) : nil
    }

    /// Bytes of a reference; longer ones are data in disguise.
    static let maximumTextLength = 2048
}

extension UInt8 {
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    /// Of a name in JavaScript or CSS: whatever is beyond ASCII counts.
    var isWordByte: Bool { ASCII.isAlphanumeric(self) || self == 0x5F || self == 0x24 || self >= 0x80 }
    var isQuote: Bool { self == 0x22 || self == 0x27 }
}
