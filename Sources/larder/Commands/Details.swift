import Ground

/// The members of an object but for `codes`, a line for each; the objects of a list have a line each, and their own lists below it.
enum Details {
    /// The members that repeat for programs what a sentence beside them says.
    private static let codes: Set<String> = ["refusal", "warningCodes"]

    static func lines(_ object: JSON) -> [String] {
        let rows = rows(of: object, under: "")
        let width = rows.map { $0.name.count }.max() ?? 0
        return rows.map { row in
            row.name + String(repeating: " ", count: width - row.name.count + 2) + row.value
        }
    }

    private typealias Row = (name: String, value: String)

    private static func rows(of object: JSON, under prefix: String) -> [Row] {
        members(of: object).flatMap { member -> [Row] in
            let name = prefix + ShownText.of(member.key.utf8)
            switch member.value {
            case .object(let members) where !members.isEmpty: return rows(of: member.value, under: name + ".")
            case .array(let elements) where holdsObjects(member.value):
                return elements.flatMap { rows(of: $0, in: name) }
            case .array(let elements):
                return [(name, elements.isEmpty ? "-" : elements.map { OperatorCall.text($0) }.joined(separator: ", "))]
            case .null, .object: return [(name, "-")]
            default: return [(name, OperatorCall.text(member.value))]
            }
        }
    }

    /// Returns the rows of an object in a list.
    private static func rows(of element: JSON, in list: String) -> [Row] {
        let members = members(of: element)
        let own = members.filter { !holdsObjects($0.value) && $0.value.members == nil }
        let values = own.map { $0.value == .null ? "-" : OperatorCall.text($0.value) }
        let nested = members.filter { !own.contains($0) }.flatMap { member in
            rows(of: .object([member]), under: "  ")
        }
        return [(list, values.joined(separator: "  "))] + nested
    }

    private static func members(of object: JSON) -> [JSON.Member] {
        (object.members ?? []).filter { !codes.contains($0.key) }
    }

    private static func holdsObjects(_ value: JSON) -> Bool {
        value.elements?.contains { $0.members != nil } ?? false
    }
}
