package import Ground

/// A reader that takes the members of a JSON object one by one and reports faults in the caller's terms.
package struct JSONReader {
    private var members: [String: JSON] = [:]
    private var known: [String] = []

    /// Throws `invalidRequest` for bytes that are not a JSON object.
    package init(_ bytes: [UInt8]) throws(PlatformError) {
        guard let json = JSON(parsing: bytes) else { throw Self.noObject }
        try self.init(json)
    }

    /// Throws `invalidRequest` for a value that is not an object.
    package init(_ json: JSON) throws(PlatformError) {
        guard let members = json.members else { throw Self.noObject }
        for member in members { self.members[member.key] = member.value }
    }

    package static let noObject = PlatformError(.invalidRequest, "The body is not a JSON object.")

    /// Removes and returns a member, `null` included; returns `nil` if it is missing.
    package mutating func take(_ key: String) -> JSON? {
        known.append(key)
        return members.removeValue(forKey: key)
    }

    /// Removes and returns a member; treats `null` as missing.
    package mutating func takeValue(_ key: String) -> JSON? {
        let value = take(key)
        return value == .null ? nil : value
    }

    package mutating func string(_ key: String) throws(PlatformError) -> String? {
        guard let value = takeValue(key) else { return nil }
        guard let string = value.string else { throw Self.wrong(key, "a string") }
        return string
    }

    package mutating func bool(_ key: String) throws(PlatformError) -> Bool? {
        guard let value = takeValue(key) else { return nil }
        guard let bool = value.bool else { throw Self.wrong(key, "true or false") }
        return bool
    }

    package mutating func integer(_ key: String, in range: ClosedRange<Int64>) throws(PlatformError) -> Int64? {
        guard let value = takeValue(key) else { return nil }
        guard let integer = value.integer, range.contains(integer) else {
            throw Self.wrong(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    package mutating func time(_ key: String) throws(PlatformError) -> Timestamp? {
        guard let text = try string(key) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw Self.wrong(key, "a time in the format of RFC 3339, such as \"2026-12-01T00:00:00Z\"")
        }
        return time
    }

    package mutating func version(_ key: String) throws(PlatformError) -> VersionString? {
        guard let text = try string(key) else { return nil }
        guard let version = VersionString(text) else {
            throw Self.wrong(key, "a version string: \(VersionString.shape)")
        }
        return version
    }

    /// Takes a percentage with at most two fraction digits.
    package mutating func percent(_ key: String) throws(PlatformError) -> BasisPoints? {
        guard let value = takeValue(key) else { return nil }
        guard let percent = BasisPoints(json: value) else { throw Self.wrong(key, BasisPoints.shape) }
        return percent
    }

    /// Rejects members that no call has taken; a misspelt one would otherwise have no effect.
    package func finish() throws(PlatformError) {
        guard let unknown = members.keys.min() else { return }
        throw PlatformError(
            .invalidRequest,
            "The body has the unknown member '\(unknown)'. Known members: "
                + known.joined(separator: ", ") + ".")
    }

    package static func wrong(_ key: String, _ expected: String) -> PlatformError {
        PlatformError(.invalidRequest, "'\(key)' must be \(expected).")
    }
}

extension BasisPoints {
    /// Parses a percentage that is a JSON number.
    package init?(json: JSON) {
        switch json {
        case .integer(let value): self.init(percent: String(value))
        case .number(let text): self.init(percent: text)
        default: return nil
        }
    }

    /// The percentage as a JSON number.
    package var json: JSON { value % 100 == 0 ? .integer(Int64(value / 100)) : .number(percent) }
}
