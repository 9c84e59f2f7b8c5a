/// The online URL path under which a package's pages live; begins and ends with `/` (semantics.md §1).
package struct URLPrefix: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let maximumLength = 512

    /// Adds a missing final slash; fails for what is no absolute path, or holds `//`, dot segments, `?`, `#`, `\` or
    /// control characters.
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

    /// `/`.
    package static let root = URLPrefix(known: "/")

    /// Of versions that take a package off devices; no page of any package lives there.
    package static let killed = URLPrefix(known: "/.larder-killed/")

    package var description: String { text }
}
