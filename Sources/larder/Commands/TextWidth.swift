import CLinux

/// The columns of a terminal that a text takes: two for most characters of East Asia, none for combining ones.
enum TextWidth {
    static func of(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : Int(clinux_columns($1.value))) }
    }

    /// Returns a text that is cut to a width between two characters, with `…` at the cut.
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var rest = width - 1
        let kept = text.prefix { character in
            rest -= of(String(character))
            return rest >= 0
        }
        return "\(kept)…"
    }
}
