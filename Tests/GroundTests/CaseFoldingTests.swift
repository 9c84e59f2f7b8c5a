import Ground
import Testing

struct CaseFoldingTests {
    @Test(arguments: [
        ("A", "a"), ("É", "e\u{301}"), ("ς", "σ"), ("Σ", "ς"), ("ſ", "s"), ("\u{B5}", "\u{3BC}"), ("ß", "SS"),
        ("ẞ", "ss"), ("ﬁ", "FI"), ("\u{212A}", "k"), ("\u{212B}", "å"), ("İ", "i\u{307}"), ("ǅ", "DŽ"), ("Ⅷ", "viii"),
        ("ᾳ", "ΑΙ"), ("α\u{345}\u{301}", "ά\u{3B9}"), ("ﬃ", "ffi"), ("Ａ", "a"), ("①", "1"), ("ｶ\u{FF9E}", "ガ"),
        ("\u{13A0}", "\u{AB70}"), ("𐐀", "𐐨"), ("a\u{200D}b", "ab"), ("a\u{AD}", "a"), ("\u{3164}", ""),
        // Unicode 16's, which the table is too old for.
        ("\u{A7CB}", "\u{264}"), ("\u{1C89}", "\u{1C8A}"),
    ])
    func `names that may collide on a device without case fold alike`(first: String, second: String) {
        let folded = Normalization.folded(first)
        #expect(folded.utf8.elementsEqual(Normalization.folded(second).utf8))
        #expect(folded.utf8.elementsEqual(Normalization.folded(folded).utf8))
    }

    @Test(arguments: [
        ("a", "b"), ("e", "é"), ("ı", "i"), ("I", "ı"), ("ss", "s"), ("中", "文"), ("が", "か"), ("a b", "ab"),
        ("α", "a"), ("-", "_"), ("1", "l"),
    ])
    func `names that every device distinguishes do not fold alike`(first: String, second: String) {
        #expect(Normalization.folded(first) != Normalization.folded(second))
    }

    /// The standard library has no mappings, but knows of each character whether it has one: an independent reading.
    @Test func `the table maps the characters that Unicode says have a mapping, and each once and for all`() {
        #expect(CaseFolding.unicodeVersion == "14.0.0")
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14 else { continue }
            let text = String(scalar)
            let folded = Normalization.folded(text)
            let changes = !folded.unicodeScalars.elementsEqual([scalar])
            #expect(changes == scalar.properties.changesWhenNFKCCaseFolded, "U+\(String(value, radix: 16))")
            guard changes else { continue }
            #expect(
                Normalization.folded(folded).unicodeScalars.elementsEqual(folded.unicodeScalars),
                "U+\(String(value, radix: 16)) folds further")
        }
    }

    @Test func `the cases of a character fold alike, but for the Turkish i without a dot`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), value != 0x131 else { continue }
            let text = String(scalar)
            let properties = scalar.properties
            for other in [properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping]
            where !other.unicodeScalars.elementsEqual([scalar]) {
                #expect(
                    Normalization.folded(other).utf8.elementsEqual(Normalization.folded(text).utf8), "\(text) \(other)")
            }
        }
    }
}
