package import Ground

extension ResourceSettings {
    /// The fault of invalid settings.
    package struct Fault: Error, Sendable, Equatable {
        /// A sentence that names the faulty member and its requirement.
        package let message: String

        init(_ message: String) { self.message = message }
    }

    /// Parses settings in the operators' format; absent and `null` members have their defaults.
    package init(_ json: JSON) throws(Fault) {
        try self.init(json, areStored: false)
    }

    /// Parses stored settings, which may predate the cost check of `matchUrl` (decision 0052).
    package init(stored json: JSON) throws(Fault) {
        try self.init(json, areStored: true)
    }

    private init(_ json: JSON, areStored: Bool) throws(Fault) {
        guard json.bytes().count <= Self.maximumBytes else {
            throw Fault("'resources' is longer than \(Self.maximumBytes) bytes of JSON. Join rules by wider globs.")
        }
        var members = try Members(json, of: "resources")
        self.init()
        if let list = members.take("rules") {
            guard let elements = list.elements, elements.count <= Self.maximumRules else {
                throw members.wrong("rules", "an array of at most \(Self.maximumRules) rules")
            }
            var budget = areStored ? nil : PatternBudget()
            for (index, element) in elements.enumerated() {
                rules.append(try ResourceRule(element, at: "resources.rules[\(index)]", within: &budget))
            }
        }
        if let value = members.take("timeFormat") {
            guard let format = value.string.flatMap(TimeFormat.init) else {
                let names = TimeFormat.allCases.map(\.rawValue).joined(separator: " or ")
                throw members.wrong("timeFormat", names)
            }
            timeFormat = format
        }
        if let value = members.take("diffFrom") {
            guard let version = value.string.flatMap(VersionString.init), DottedVersion(version.text) != nil else {
                throw members.wrong("diffFrom", "a version of dotted numbers, such as \"4.0.0\"")
            }
            diffFrom = version
        }
        if let value = members.take("diffLimit") {
            guard let limit = value.integer, (0...Int64(Self.maximumDiffLimit)).contains(limit) else {
                throw members.wrong("diffLimit", "a whole number from 0 to \(Self.maximumDiffLimit)")
            }
            diffLimit = Int(limit)
        }
        try members.finish()
    }

    /// The settings as JSON; equal settings give equal bytes.
    package var json: JSON {
        .object([
            "rules": .array(rules.map(\.json)), "timeFormat": .string(timeFormat.rawValue),
            "diffFrom": diffFrom.map { .string($0.text) }, "diffLimit": .integer(Int64(diffLimit)),
        ])
    }
}

extension ResourceRule {
    /// - Parameter budget: The budget of all rules' patterns; `nil` for stored rules, whose cost is not checked.
    fileprivate init(
        _ json: JSON, at path: String, within budget: inout PatternBudget?
    ) throws(ResourceSettings.Fault) {
        var members = try Members(json, of: path)
        guard let files = members.take("files")?.string.flatMap({ PathGlob($0) }) else {
            throw members.wrong(
                "files", "a glob of at most \(PathGlob.maximumLength) bytes, such as \"css/*.css\" or \"**/*.js\"")
        }
        self.init(files: files)
        if let value = members.take("cached") {
            guard let flag = value.bool else { throw members.wrong("cached", "true or false") }
            isCached = flag
        }
        if let value = members.take("type") {
            guard let number = value.integer, ResourceKind.range.contains(number) else {
                throw members.wrong("type", "a whole number from 0 to \(ResourceKind.range.upperBound)")
            }
            kind = number
        }
        if let value = members.take("MIMEType") {
            guard let text = value.string, Self.isMediaType(text) else {
                throw members.wrong("MIMEType", "a media type such as \"text/css\"")
            }
            mediaType = text
        }
        if let value = members.take("matchUrl") { matchURL = try Self.pattern(value, members, within: &budget) }
        if let value = members.take("resourceID") {
            guard let id = value.string.flatMap({ ResourceID($0) }) else {
                throw members.wrong("resourceID", "the first part of a file name: \(ResourceID.shape)")
            }
            resourceID = id
        }
        if let value = members.take("activeTime") {
            guard let instant = value.string.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw members.wrong("activeTime", "a time such as \"2026-01-01T00:00:00Z\"")
            }
            activeTime = instant
        }
        try members.finish()
    }

    private static func pattern(
        _ value: JSON, _ members: Members, within budget: inout PatternBudget?
    ) throws(ResourceSettings.Fault) -> URLPattern {
        guard let text = value.string else { throw members.wrong("matchUrl", "a regular expression") }
        do throws(URLPattern.Fault) {
            guard var rest = budget else { return try URLPattern(stored: text) }
            let pattern = try URLPattern(text, within: &rest)
            budget = rest
            return pattern
        } catch {
            throw members.wrong(
                "matchUrl", "a regular expression that all clients interpret alike and match fast: \(error.message)")
        }
    }

    private static func isMediaType(_ text: String) -> Bool {
        let parts = text.utf8.prefix { $0 != UInt8(ascii: ";") }
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return text.utf8.count <= maximumMediaTypeLength && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F || $0 == 0x20 } && !parts.contains { $0.contains(0x20) }
    }

    fileprivate var json: JSON {
        .object([
            "files": .string(files.description), "cached": isCached.map { .bool($0) },
            "type": kind.map { .integer($0) }, "MIMEType": mediaType.map { .string($0) },
            "matchUrl": matchURL.map { .string($0.text) }, "resourceID": resourceID.map { .string($0.text) },
            "activeTime": activeTime.map { .string($0.rfc3339) },
        ])
    }
}

/// A reader of an object's members that rejects members that no call has taken.
private struct Members {
    private let path: String
    private var members: [String: JSON] = [:]
    private var known: [String] = []

    init(_ json: JSON, of path: String) throws(ResourceSettings.Fault) {
        self.path = path
        guard let members = json.members else { throw .init("'\(path)' must be an object.") }
        for member in members { self.members[member.key] = member.value }
    }

    /// Removes and returns a member; treats `null` as missing.
    mutating func take(_ key: String) -> JSON? {
        known.append(key)
        let value = members.removeValue(forKey: key)
        return value == .null ? nil : value
    }

    func wrong(_ key: String, _ expected: String) -> ResourceSettings.Fault {
        ResourceSettings.Fault("'\(path).\(key)' must be \(expected).")
    }

    func finish() throws(ResourceSettings.Fault) {
        guard let unknown = members.keys.min() else { return }
        throw ResourceSettings.Fault(
            "'\(path)' has the unknown member '\(ShownText.of(unknown.utf8))'. Known members: "
                + known.joined(separator: ", ") + ".")
    }
}
