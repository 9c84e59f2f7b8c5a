// FoundationEssentials has no normalization and full Foundation requires the 30 MB of ICU; the standard library has the
// tables for comparing strings and exposes them under this SPI.
@_spi(_Unicode) import Swift

/// Unicode normalization.
package enum Normalization {
    /// Returns the Normalization Form C of a text.
    package static func nfc(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return composed(text)
    }

    /// Returns the NFKC_Casefold form, equal for two names that a case-insensitive device may confuse.
    ///
    /// The form is for comparison only, not for storing or displaying.
    package static func folded(_ name: String) -> String {
        // The toolchain's Unicode is newer than the table: lowercasing covers letters that were added since.
        let lower = name.lowercased()
        guard !lower.utf8.allSatisfy({ $0 < 0x80 }) else { return lower }
        let table = CaseFolding.shared
        var folded = String.UnicodeScalarView()
        for scalar in lower._nfd where !scalar.properties.isDefaultIgnorableCodePoint {
            table.append(scalar, to: &folded)
        }
        // A compatibility mapping may produce ignorable characters.
        folded.removeAll { $0.properties.isDefaultIgnorableCodePoint }
        return composed(String(folded))
    }

    private static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }
}
