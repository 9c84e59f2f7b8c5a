/// A single-pass parser of JSON text (RFC 8259) whose time and memory are proportional to the text's length.
///
/// The toolchain's decoder takes seconds for a few kilobytes of nested arrays when it decodes values of any shape
/// (decision 0009).
struct JSONParser {
    /// The limit on the nesting of arrays and objects.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses the only value of the text; returns `nil` if it is not JSON, too deep, or followed by more than white
    /// space.
    mutating func parse() -> JSON? {
        guard let value = value() else { return nil }
        skipSpace()
        return position == bytes.count ? value : nil
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let word = word.description.utf8
        guard bytes[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    private mutating func value() -> JSON? {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return nested { $0.object() }
        case UInt8(ascii: "["): return nested { $0.array() }
        case UInt8(ascii: "\""): return string().map(JSON.string)
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func nested(_ body: (inout JSONParser) -> JSON?) -> JSON? {
        guard depth < Self.maximumDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        position += 1
        return body(&self)
    }

    private mutating func array() -> JSON? {
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while let element = value() {
            elements.append(element)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    /// Parses an object; of members with equal keys only the last counts.
    private mutating func object() -> JSON? {
        var members: [JSON.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([JSON.Member]()) }
        while true {
            skipSpace()
            guard let key = string() else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")), let value = value() else { return nil }
            members.append(.init(key, value))
            skipSpace()
            if take(UInt8(ascii: "}")) { break }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
        return .object(Self.sorted(members))
    }

    /// Sorts members by the bytes of their keys, since strings compare by canonical equivalence.
    private static func sorted(_ members: [JSON.Member]) -> [JSON.Member] {
        let order = members.indices.sorted { left, right in
            let (first, second) = (members[left].key.utf8, members[right].key.utf8)
            if first.elementsEqual(second) { return left < right }
            return first.lexicographicallyPrecedes(second)
        }
        var sorted: [JSON.Member] = []
        for index in order {
            if sorted.last?.key.utf8.elementsEqual(members[index].key.utf8) ?? false { sorted.removeLast() }
            sorted.append(members[index])
        }
        return sorted
    }

    // MARK: Numbers

    private mutating func number() -> JSON? {
        let start = position
        _ = take(UInt8(ascii: "-"))
        guard let first = next, ASCII.isDigit(first) else { return nil }
        position += 1
        if first != UInt8(ascii: "0") { skipDigits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() else { return nil }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // A number whose text an integer would not reproduce stays text.
        if isInteger, text != "-0", let integer = Int64(text) { return .integer(integer) }
        return .number(text)
    }

    /// Skips digits; returns whether there was one.
    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, ASCII.isDigit(byte) { position += 1 }
        return position > start
    }

    // MARK: Strings

    private mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<position]
                position += 1
                return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<position]
                position += 1
                guard let scalar = escape() else { return nil }
                text += String(scalar).utf8
                start = position
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return escapedScalar()
        default: return nil
        }
    }

    /// Parses the rest of a `\u` escape: four digits, or two escapes that form a surrogate pair.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let first = hexUnit() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = hexUnit(),
            UTF16.isTrailSurrogate(second)
        else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func hexUnit() -> UInt16? {
        guard position + 4 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = ASCII.hexadecimal(byte) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}
