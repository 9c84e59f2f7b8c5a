// FoundationEssentials has no normalisation and full Foundation brings ICU's 30 MB along; the standard library has
// the tables for its own comparison of strings and shows them under this name.
@_spi(_Unicode) import Swift

/// Unicode normalisation.
package enum Normalization {
    /// Normalisation Form C.
    package static func nfc(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return composed(text)
    }

    /// The form in which two names are equal if a device without case may take them for one: NFKC_Casefold.
    ///
    /// For comparison alone, never for a name that is stored or shown.
    package static func folded(_ name: String) -> String {
        // The toolchain's Unicode is newer than the table: lower case covers the letters that were added since.
        let lower = name.lowercased()
        guard !lower.utf8.allSatisfy({ $0 < 0x80 }) else { return lower }
        let table = CaseFolding.shared
        var folded = String.UnicodeScalarView()
        for scalar in lower._nfd where !scalar.properties.isDefaultIgnorableCodePoint {
            table.append(scalar, to: &folded)
        }
        // A compatibility mapping may lead to ignorable characters.
        folded.removeAll { $0.properties.isDefaultIgnorableCodePoint }
        return composed(String(folded))
    }

    private static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }
}
