import Ground

/// A dictionary of structured fields (RFC 8941 §3.2), the format of signature fields.
package struct StructuredDictionary: Sendable, Equatable {
    /// A value without its parameters.
    package enum Value: Sendable, Equatable {
        case boolean(Bool)
        case integer(Int64)
        /// The text of a decimal; no field here uses one.
        case decimal(String)
        case string(String)
        case token(String)
        case bytes([UInt8])
        /// An inner list, whose items are not lists.
        case list([Item])
    }

    /// A value with its parameters.
    package struct Item: Sendable, Equatable {
        package let value: Value
        package let parameters: [String: Value]
    }

    package struct Member: Sendable, Equatable {
        package let key: String
        package let item: Item
        /// The text of the value with its parameters, as received; empty if the key has no value.
        package let text: String
    }

    /// The members in order; of members with equal keys only the last.
    package let members: [Member]

    package subscript(_ key: String) -> Item? { members.first { $0.key == key }?.item }

    /// Parses the lines of a field, joined by commas; fails for anything but a dictionary.
    package init?(_ text: String) {
        var reader = StructuredReader(Array(text.utf8))
        guard let members = reader.dictionary() else { return nil }
        self.members = members
    }
}

/// A parser of structured fields (RFC 8941 §4.2).
private struct StructuredReader {
    private typealias Value = StructuredDictionary.Value
    private typealias Item = StructuredDictionary.Item

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let next, next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipAll(_ characters: String) {
        while let next, characters.utf8.contains(next) { position += 1 }
    }

    private mutating func prefix(while isIn: (UInt8) -> Bool) -> String {
        let start = position
        while let next, isIn(next) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func dictionary() -> [StructuredDictionary.Member]? {
        var members: [StructuredDictionary.Member] = []
        skipAll(" ")
        while next != nil {
            guard let key = key() else { return nil }
            let hasValue = skip("=")
            let start = position
            var value = Value.boolean(true)
            if hasValue {
                guard let read = listOrItem() else { return nil }
                value = read
            }
            guard let parameters = parameters() else { return nil }
            let text = hasValue ? String(decoding: bytes[start..<position], as: UTF8.self) : ""
            members.removeAll { $0.key == key }
            members.append(.init(key: key, item: Item(value: value, parameters: parameters), text: text))
            skipAll(" \t")
            guard next != nil else { return members }
            guard skip(",") else { return nil }
            skipAll(" \t")
            // A trailing comma is invalid.
            guard next != nil else { return nil }
        }
        return members
    }

    private mutating func key() -> String? {
        guard let next, next == UInt8(ascii: "*") || ASCII.isLower(next) else { return nil }
        return prefix { ASCII.isLower($0) || ASCII.isDigit($0) || "_-.*".utf8.contains($0) }
    }

    private mutating func parameters() -> [String: Value]? {
        var parameters: [String: Value] = [:]
        while skip(";") {
            skipAll(" ")
            guard let key = key() else { return nil }
            var value = Value.boolean(true)
            if skip("=") {
                guard let read = bareItem() else { return nil }
                value = read
            }
            parameters[key] = value
        }
        return parameters
    }

    private mutating func listOrItem() -> Value? {
        guard skip("(") else { return bareItem() }
        var items: [Item] = []
        while true {
            skipAll(" ")
            if skip(")") { return .list(items) }
            guard let value = bareItem(), let parameters = parameters() else { return nil }
            items.append(Item(value: value, parameters: parameters))
            guard next == UInt8(ascii: " ") || next == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func bareItem() -> Value? {
        switch next {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "?"):
            position += 1
            return skip("1") ? .boolean(true) : skip("0") ? .boolean(false) : nil
        case UInt8(ascii: "-"): return number()
        case let character? where ASCII.isDigit(character): return number()
        case let character? where ASCII.isLetter(character) || character == UInt8(ascii: "*"):
            return .token(prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) })
        default: return nil
        }
    }

    private mutating func number() -> Value? {
        let sign = skip("-") ? "-" : ""
        let whole = prefix(while: ASCII.isDigit)
        guard skip(".") else {
            return (1...15).contains(whole.utf8.count) ? Int64(sign + whole).map { .integer($0) } : nil
        }
        let fraction = prefix(while: ASCII.isDigit)
        guard (1...12).contains(whole.utf8.count), (1...3).contains(fraction.utf8.count) else { return nil }
        return .decimal("\(sign)\(whole).\(fraction)")
    }

    private mutating func string() -> Value? {
        position += 1
        var text: [UInt8] = []
        while let character = next {
            position += 1
            switch character {
            case UInt8(ascii: "\""): return .string(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    return nil
                }
                position += 1
                text.append(escaped)
            case 0x20...0x7E: text.append(character)
            default: return nil
            }
        }
        return nil
    }

    private mutating func byteSequence() -> Value? {
        position += 1
        let text = prefix { $0 != UInt8(ascii: ":") }
        guard skip(":") else { return nil }
        return Base64.decode(text).map { .bytes($0) }
    }
}
