/// What a `Range` field asks for (RFC 9110 §14.2), of a representation of known length.
enum ByteRange: Hashable {
    /// Everything: no range, several, or none that can be read.
    case whole
    case part(Range<Int>)
    /// A range that begins behind the end.
    case unsatisfiable

    init(_ field: ArraySlice<UInt8>, length: Int) {
        guard let equals = field.firstIndex(of: ASCII.equals),
            field[..<equals].map(ASCII.lowercased).elementsEqual("bytes".utf8),
            let hyphen = field[equals...].firstIndex(of: ASCII.hyphen)
        else {
            self = .whole
            return
        }
        let first = field[(equals + 1)..<hyphen]
        let last = field[(hyphen + 1)...]
        switch (Self.number(first), Self.number(last)) {
        case (let start?, nil) where last.isEmpty:
            self = start < length ? .part(start..<length) : .unsatisfiable
        case (let start?, let end?) where start <= end:
            self = start < length ? .part(start..<(end < length ? end + 1 : length)) : .unsatisfiable
        case (nil, let suffix?) where first.isEmpty:
            self = suffix > 0 && length > 0 ? .part(max(length - suffix, 0)..<length) : .unsatisfiable
        default:
            self = .whole
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
