import Domain
import Ground

/// A reader that takes the members of a request's JSON object one by one and reports faults in the caller's terms.
struct JSONReader {
    private var members: [String: JSON] = [:]
    private var known: [String] = []

    /// Throws `invalidRequest` for bytes that are not a JSON object.
    init(_ bytes: [UInt8]) throws(PlatformError) {
        guard let members = JSON(parsing: bytes)?.members else {
            throw PlatformError(.invalidRequest, "The body is not a JSON object.")
        }
        for member in members { self.members[member.key] = member.value }
    }

    /// Removes and returns a member, `null` included; returns `nil` if it is missing.
    mutating func take(_ key: String) -> JSON? {
        known.append(key)
        return members.removeValue(forKey: key)
    }

    /// Removes and returns a member; treats `null` as missing.
    private mutating func takeValue(_ key: String) -> JSON? {
        let value = take(key)
        return value == .null ? nil : value
    }

    mutating func string(_ key: String) throws(PlatformError) -> String? {
        guard let value = takeValue(key) else { return nil }
        guard let string = value.string else { throw Self.wrong(key, "a string") }
        return string
    }

    mutating func bool(_ key: String) throws(PlatformError) -> Bool? {
        guard let value = takeValue(key) else { return nil }
        guard let bool = value.bool else { throw Self.wrong(key, "true or false") }
        return bool
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int64>) throws(PlatformError) -> Int64? {
        guard let value = takeValue(key) else { return nil }
        guard let integer = value.integer, range.contains(integer) else {
            throw Self.wrong(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Rejects members that no call has taken; a misspelt one would otherwise have no effect.
    func finish() throws(PlatformError) {
        guard let unknown = members.keys.min() else { return }
        throw PlatformError(
            .invalidRequest,
            "The body has a member '\(unknown)' that means nothing here; known are: "
                + known.joined(separator: ", ") + ".")
    }

    static func wrong(_ key: String, _ expected: String) -> PlatformError {
        PlatformError(.invalidRequest, "'\(key)' must be \(expected).")
    }
}
