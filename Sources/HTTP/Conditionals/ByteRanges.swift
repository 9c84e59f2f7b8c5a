import Ground

/// The parts of a representation of known length that a `Range` field requests (RFC 9110 §14.2).
enum ByteRanges: Hashable {
    /// The whole: the field is missing or malformed, or it names more than ``limit`` ranges.
    case whole
    /// Disjoint parts in the order of the request.
    case parts([Range<Int>])
    /// All ranges begin after the end.
    case unsatisfiable

    /// The maximum number of ranges in one request; with more of them the response is the whole.
    static let limit = 16
    /// The largest gap in bytes between parts that are merged: shorter than the head of another part.
    static let mergedGap = 80

    init(_ field: ArraySlice<UInt8>, length: Int) {
        guard let equals = field.firstIndex(of: ASCII.equals),
            field[..<equals].map(ASCII.lowercased).elementsEqual("bytes".utf8)
        else {
            self = .whole
            return
        }
        let elements = field[(equals + 1)...].split(separator: ASCII.comma)
        let named = elements.map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
        let asked = named.prefix(Self.limit).compactMap { Asked($0, length: length) }
        guard !named.isEmpty, asked.count == named.count else {
            self = .whole
            return
        }
        let parts = asked.compactMap(\.part)
        self = parts.isEmpty ? .unsatisfiable : .parts(Self.merged(parts))
    }

    /// One requested range; `part` is `nil` if the range lies outside of the representation.
    private struct Asked {
        let part: Range<Int>?

        /// Returns `nil` if the text is no range.
        init?(_ text: ArraySlice<UInt8>, length: Int) {
            guard let hyphen = text.firstIndex(of: ASCII.hyphen) else { return nil }
            let first = text[..<hyphen]
            let last = text[(hyphen + 1)...]
            switch (Self.number(first), Self.number(last)) {
            case (let start?, nil) where last.isEmpty:
                part = start < length ? start..<length : nil
            case (let start?, let end?) where start <= end:
                part = start < length ? start..<(end < length ? end + 1 : length) : nil
            case (nil, let suffix?) where first.isEmpty:
                part = suffix > 0 && length > 0 ? max(length - suffix, 0)..<length : nil
            default:
                return nil
            }
        }

        /// Reads a decimal number, capped near the largest integer.
        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
            return digits.reduce(0) { value, digit in
                let (product, overflows) = value.multipliedReportingOverflow(by: 10)
                return overflows || product > .max - 9 ? .max - 9 : product + Int(digit - 0x30)
            }
        }
    }

    /// Merges ranges that overlap or nearly touch (RFC 9110 §15.3.7.2) at the position of the first of them.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for var range in ranges {
            var insertion = parts.endIndex
            while let index = parts.firstIndex(where: { isNear($0, range) }) {
                let other = parts.remove(at: index)
                range = min(range.lowerBound, other.lowerBound)..<max(range.upperBound, other.upperBound)
                insertion = min(insertion, index)
            }
            parts.insert(range, at: insertion)
        }
        return parts
    }

    private static func isNear(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        max(left.lowerBound, right.lowerBound) - min(left.upperBound, right.upperBound) <= mergedGap
    }
}
