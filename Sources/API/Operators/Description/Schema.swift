import Domain
import Ground

/// A JSON Schema (draft 2020-12) of a value in the description of the API.
struct Schema: Sendable, Equatable {
    let json: JSON

    init(_ json: JSON) {
        self.json = json
    }

    private init(_ type: JSON, _ more: [JSON.Member]) {
        json = .object([.init("type", type)] + more)
    }

    static let boolean = Schema("boolean", [])
    static let number = Schema("number", [])
    /// A text of any kind.
    static let text = Schema("string", [])
    /// Bytes, which are no JSON.
    static let bytes = Schema("string", [.init("format", "binary")])
    static let time = Schema("string", [.init("format", "date-time")])
    /// A count or a number of bytes.
    static let count = integer(0...Int64.max)
    /// A number that the server gives to an object.
    static let id = integer(1...Int64.max)
    static let percent = Schema("number", [.init("minimum", 0), .init("maximum", 100)])
    static let hash = pattern("^[0-9a-f]{64}$")
    /// An object of unspecified members.
    static let anyObject = Schema("object", [])

    static func integer(_ range: ClosedRange<Int64>) -> Schema {
        var more: [JSON.Member] = [.init("format", "int64"), .init("minimum", .integer(range.lowerBound))]
        if range.upperBound < .max { more.append(.init("maximum", .integer(range.upperBound))) }
        return Schema("integer", more)
    }

    static func text(_ lengths: ClosedRange<Int>) -> Schema {
        Schema(
            "string",
            [
                .init("minLength", .integer(Int64(lengths.lowerBound))),
                .init("maxLength", .integer(Int64(lengths.upperBound))),
            ])
    }

    static func pattern(_ pattern: String) -> Schema {
        Schema("string", [.init("pattern", .string(pattern))])
    }

    static func choice(_ values: [String]) -> Schema {
        Schema("string", [.init("enum", .array(values.map { .string($0) }))])
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable>(_ type: Value.Type) -> Schema {
        choice(Value.allCases.map(\.rawValue))
    }

    static func array(_ items: Schema, upTo limit: Int? = nil) -> Schema {
        let bound = limit.map { [JSON.Member("maxItems", .integer(Int64($0)))] } ?? []
        return Schema("array", [.init("items", items.json)] + bound)
    }

    /// An object whose members have names that the schema does not know, such as ids.
    static func map(_ value: Schema) -> Schema { Schema("object", [.init("additionalProperties", value.json)]) }

    /// An object with these members and no others.
    static func object(
        _ required: KeyValuePairs<String, Schema>, optional: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        let members = (required.map { $0 } + optional.map { $0 }).map { JSON.Member($0.key, $0.value.json) }
        let names = required.map { JSON.string($0.key) }
        return Schema(
            "object",
            (names.isEmpty ? [] : [.init("required", .array(names))]) + [
                .init("properties", .object(members)), .init("additionalProperties", false),
            ])
    }

    /// An object that a list shows, a change returns, and a dry run marks.
    static func shown(
        _ required: KeyValuePairs<String, Schema>, optional: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        let dryRun = boolean.describing("`true` in the response to a dry run, which changed nothing.")
        return object(required, optional: optional).adding("dryRun", dryRun)
    }

    /// A schema of the components of the description.
    static func named(_ name: String) -> Schema {
        Schema(.object([.init("$ref", .string("#/components/schemas/\(name)"))]))
    }

    /// The schema, or `null`.
    var orNull: Schema {
        if case .string(let type)? = json["type"], json["enum"] == nil {
            return replacing("type", .array([.string(type), "null"]))
        }
        return Schema(.object([.init("oneOf", .array([json, .object([.init("type", "null")])]))]))
    }

    func describing(_ text: String) -> Schema { replacing("description", .string(text)) }

    func defaulting(to value: JSON) -> Schema { replacing("default", value) }

    /// The schema of an object with a further optional member.
    func adding(_ name: String, _ schema: Schema) -> Schema {
        let properties = (json["properties"]?.members ?? []) + [.init(name, schema.json)]
        return replacing("properties", .object(properties))
    }

    private func replacing(_ key: String, _ value: JSON) -> Schema {
        let members = json.members ?? []
        guard members.contains(where: { $0.key == key }) else { return Schema(.object(members + [.init(key, value)])) }
        return Schema(.object(members.map { $0.key == key ? .init(key, value) : $0 }))
    }
}
