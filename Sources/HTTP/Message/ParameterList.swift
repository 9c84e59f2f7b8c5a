import Ground

/// A field value with parameters, `form-data; name="file"` (RFC 9110 §5.6.6).
package struct ParameterList: Sendable {
    /// The text before the parameters, in lower case.
    package let value: String
    private var parameters: [(name: String, value: String)] = []

    /// Reads a field value; returns `nil` if a parameter is malformed.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        value = Self.text(Self.take(&rest) { $0 != ASCII.semicolon }.trimmingBlanks()).lowercased()
        while let byte = rest.popFirst() {
            guard byte == ASCII.semicolon else { return nil }
            rest = rest.trimmingBlanks()
            if rest.isEmpty || rest.first == ASCII.semicolon { continue }
            let name = Self.text(Self.take(&rest, while: ASCII.isToken)).lowercased()
            guard !name.isEmpty, rest.popFirst() == ASCII.equals, let value = Self.takeValue(&rest) else { return nil }
            parameters.append((name, value))
            rest = rest.trimmingBlanks()
        }
    }

    /// The value of the parameter with this lower-case name.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == ASCII.quote else { return text(take(&rest) { $0 != ASCII.semicolon }.trimmingBlanks()) }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == ASCII.quote { return text(value[...]) }
            // Form senders escape only quotes; some put whole Windows paths here.
            if byte == ASCII.backslash, rest.first == ASCII.quote {
                value.append(rest.removeFirst())
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private static func take(
        _ rest: inout ArraySlice<UInt8>, while belongs: (UInt8) -> Bool
    ) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return taken
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
