import Ground

/// The online URL path of a package's pages; begins and ends with `/` (semantics.md §1).
package struct URLPrefix: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let maximumLength = 512

    /// Adds a missing final slash.
    ///
    /// Fails unless the text is an absolute path without `//`, dot segments, `?`, `#`, `\` and control characters.
    package init?(_ text: String) {
        let whole = text.utf8.last == UInt8(ascii: "/") ? text : text + "/"
        guard text.utf8.first == UInt8(ascii: "/"), whole.utf8.count <= Self.maximumLength else { return nil }
        guard whole.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"?#\\".utf8.contains($0) }) else { return nil }
        let parts = whole.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for part in parts.dropLast() {
            guard !part.isEmpty, !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else { return nil }
        }
        self.text = Normalization.nfc(whole)
    }

    private init(known text: String) { self.text = text }

    /// The prefix `/`.
    package static let root = URLPrefix(known: "/")

    /// The prefix of versions that take a package off devices; no package has pages there.
    package static let killed = URLPrefix(known: "/.larder-killed/")

    package var description: String { text }
}
