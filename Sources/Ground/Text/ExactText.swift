/// A text that equals another one only if their bytes are equal, as in the database.
///
/// Swift's strings are also equal if they only differ in their Unicode normalization.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        hasher.combine(UInt8(0xFF))
    }
}
