/// A JSON value (RFC 8259); an object keeps the order of its members.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// The text of any other number.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSON

        package init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The value of an object's member.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    package var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    package var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// Creates an object without the members that are `nil`.
    package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }
}

extension JSON {
    /// Parses one value; fails if the bytes are not JSON, or nested deeper than 64 levels.
    ///
    /// Sorts the members of objects by the bytes of their keys.
    package init?(parsing bytes: [UInt8]) {
        var parser = JSONParser(bytes)
        guard let value = parser.parse() else { return nil }
        self = value
    }
}
