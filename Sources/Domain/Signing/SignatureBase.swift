/// The signature base of an HTTP message signature (RFC 9421 §2.5).
package enum SignatureBase {
    /// A covered component: a field, or a part derived from the message.
    package struct Component: Sendable, Equatable {
        /// The name: a field's in lower case, or a derived component's with `@`.
        package let name: String
        /// The value: a field's lines, trimmed and joined by a comma and a space (RFC 9421 §2.1).
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Returns the bytes to sign.
    ///
    /// - Parameter parameters: The covered names and the signature's parameters, as in `Signature-Input`.
    package static func bytes(of components: [Component], parameters: String) -> [UInt8] {
        let lines = components.map { "\"\($0.name)\": \($0.value)\n" }
        return Array((lines.joined() + "\"@signature-params\": \(parameters)").utf8)
    }
}
