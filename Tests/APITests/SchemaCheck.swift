import Ground

/// A check of values against the part of JSON Schema that the description of the API uses; a keyword that it does not know
/// is a fault.
struct SchemaCheck {
    /// The document in which `$ref` is resolved.
    let document: JSON
    /// Whether a text with `…` stands for any text.
    var allowsEllipsis = false

    private static let annotations: Set<String> = ["description", "default", "format", "example"]

    /// Returns the faults of a value, each with its place.
    func faults(of value: JSON, by schema: JSON, at place: String = "$") -> [String] {
        if let reference = schema["$ref"]?.string {
            guard let target = resolve(reference) else { return ["\(place): \(reference) does not exist"] }
            return faults(of: value, by: target, at: place)
        }
        if allowsEllipsis, value.string?.contains("…") == true { return [] }
        var faults: [String] = []
        for member in schema.members ?? [] {
            switch member.key {
            case "type":
                if !Self.types(of: value).contains(where: Self.texts(member.value).contains) {
                    faults.append("\(place): \(value.text.prefix(80)) is no \(member.value.text)")
                }
            case "enum":
                if member.value.elements?.contains(value) == false {
                    faults.append("\(place): \(value.text.prefix(80)) is none of \(member.value.text)")
                }
            case "oneOf":
                let results = (member.value.elements ?? []).map { self.faults(of: value, by: $0, at: place) }
                if results.filter(\.isEmpty).count != 1 {
                    faults.append("\(place): not exactly one of \(results.count): \(results.flatMap { $0 })")
                }
            case "pattern":
                if let text = value.string, !Self.matches(text, member.value.string ?? "") {
                    faults.append("\(place): \(text) does not match \(member.value.text)")
                }
            case "minimum", "maximum":
                if let number = value.number {
                    let bound = member.value.number ?? 0
                    if member.key == "minimum" ? number < bound : number > bound {
                        faults.append("\(place): \(number) is beyond \(bound)")
                    }
                }
            case "minLength", "maxLength":
                if let count = value.string?.unicodeScalars.count {
                    let bound = Int(member.value.integer ?? 0)
                    if member.key == "minLength" ? count < bound : count > bound {
                        faults.append("\(place): \(count) characters are beyond \(bound)")
                    }
                }
            case "items":
                for (index, element) in (value.elements ?? []).enumerated() {
                    faults += self.faults(of: element, by: member.value, at: "\(place)[\(index)]")
                }
            case "maxItems":
                if let count = value.elements?.count, count > Int(member.value.integer ?? 0) {
                    faults.append("\(place): \(count) items")
                }
            case "required":
                for name in Self.texts(member.value) where value.members != nil && value[name] == nil {
                    faults.append("\(place): \(name) is missing")
                }
            case "properties", "additionalProperties": break
            default: if !Self.annotations.contains(member.key) { faults.append("\(place): keyword \(member.key)") }
            }
        }
        return faults + memberFaults(of: value, by: schema, at: place)
    }

    private func memberFaults(of value: JSON, by schema: JSON, at place: String) -> [String] {
        var faults: [String] = []
        for member in value.members ?? [] {
            if let known = schema["properties"]?[member.key] {
                faults += self.faults(of: member.value, by: known, at: "\(place).\(member.key)")
            } else if schema["additionalProperties"] == false {
                faults.append("\(place): unknown member \(member.key)")
            } else if let others = schema["additionalProperties"] {
                faults += self.faults(of: member.value, by: others, at: "\(place).\(member.key)")
            }
        }
        return faults
    }

    func resolve(_ reference: String) -> JSON? {
        reference.split(separator: "/").dropFirst().reduce(document as JSON?) { $0?[String($1)] }
    }

    private static func texts(_ json: JSON) -> [String] {
        json.string.map { [$0] } ?? (json.elements ?? []).compactMap(\.string)
    }

    private static func types(of value: JSON) -> [String] {
        switch value {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .integer: ["integer", "number"]
        case .number: ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return text.firstMatch(of: regex) != nil
    }
}

extension JSON {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let text): Double(text)
        default: nil
        }
    }
}
