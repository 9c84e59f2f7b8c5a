// FoundationEssentials has no normalisation and full Foundation brings ICU's 30 MB along; the standard library has
// the tables for its own comparison of strings and shows them under this name.
@_spi(_Unicode) import Swift

/// Unicode normalisation.
package enum Normalization {
    /// Normalisation Form C.
    package static func nfc(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }
}
