/// What a signature over parts of an HTTP message is made over (RFC 9421 §2.5).
package enum SignatureBase {
    /// A part that is covered: a field, or one that is derived from the message.
    package struct Component: Sendable, Equatable {
        /// A field's in lower case; of what is derived `@` and a word.
        package let name: String
        /// A field's lines, trimmed and joined by a comma and a space (RFC 9421 §2.1).
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The bytes that are signed.
    ///
    /// - Parameter parameters: The covered names and what is said of the signature, as `Signature-Input` has them.
    package static func bytes(of components: [Component], parameters: String) -> [UInt8] {
        let lines = components.map { "\"\($0.name)\": \($0.value)\n" }
        return Array((lines.joined() + "\"@signature-params\": \(parameters)").utf8)
    }
}
