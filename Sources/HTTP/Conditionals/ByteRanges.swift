/// What a `Range` field asks for (RFC 9110 §14.2), of a representation of known length.
enum ByteRanges: Hashable {
    /// Everything: no range, none that can be read, or more than are answered.
    case whole
    /// Parts that lie apart from each other, in the order in which they were asked for.
    case parts([Range<Int>])
    /// Nothing but ranges that begin behind the end.
    case unsatisfiable

    /// Ranges that one request may name; past it the whole is the answer.
    static let limit = 16
    /// Parts that are no further apart become one: the bytes between them are fewer than the head of another part.
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

    /// One range, if there is anything where it lies.
    private struct Asked {
        let part: Range<Int>?

        /// `nil` for what is no range.
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

        /// A number in digits; one too large to matter counts as the largest.
        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
            return digits.reduce(0) { value, digit in
                let (product, overflows) = value.multipliedReportingOverflow(by: 10)
                return overflows || product > .max - 9 ? .max - 9 : product + Int(digit - 0x30)
            }
        }
    }

    /// Makes one of those that overlap or nearly touch (RFC 9110 §15.3.7.2); it stands where the first of them stood.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        for var range in ranges {
            var place = parts.endIndex
            while let index = parts.firstIndex(where: { isNear($0, range) }) {
                let other = parts.remove(at: index)
                range = min(range.lowerBound, other.lowerBound)..<max(range.upperBound, other.upperBound)
                place = min(place, index)
            }
            parts.insert(range, at: place)
        }
        return parts
    }

    private static func isNear(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        max(left.lowerBound, right.lowerBound) - min(left.upperBound, right.upperBound) <= mergedGap
    }
}
