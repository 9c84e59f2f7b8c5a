/// The fields of a response, in order.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable {
        package var name: FieldName
        package var value: String
    }

    package private(set) var all: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (FieldName, String)...) {
        all = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// Adds a further field, which may have the name of another one.
    package mutating func append(_ name: FieldName, _ value: String) { all.append(Field(name: name, value: value)) }

    /// The first value of a name; assigning replaces all values of it, and `nil` removes them.
    package subscript(_ name: FieldName) -> String? {
        get { all.first { $0.name == name }?.value }
        set {
            let index = all.firstIndex { $0.name == name }
            all.removeAll { $0.name == name }
            guard let newValue else { return }
            all.insert(Field(name: name, value: newValue), at: index ?? all.count)
        }
    }
}
