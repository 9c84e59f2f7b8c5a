import Ground

extension RequestHead {
    /// Whether the request has neither conditions nor ranges.
    package var isUnconditional: Bool {
        !fields.contains { field in
            let name = bytes[field.name]
            return name.count == 5 && matches(field.name, FieldName.range.lowercased)
                || name.count > 3 && ASCII.lowercased(name[name.startIndex]) == UInt8(ascii: "i")
                    && ASCII.lowercased(name[name.startIndex + 1]) == UInt8(ascii: "f")
                    && name[name.startIndex + 2] == ASCII.hyphen
        }
    }

    /// Returns all values of a field as bytes, in order.
    package func allBytes(of name: FieldName) -> [ArraySlice<UInt8>] {
        fields.filter { matches($0.name, name.lowercased) }.map { bytes[$0.value] }
    }
}
