/// The URL of a page without query and fragment, written in one way alone: what a grant is about (semantics.md §6).
package struct PageURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: PageOrigin
    package let path: PagePath

    /// Bytes of a URL, query and fragment included.
    package static let maximumLength = 2048

    /// Reads an absolute URL; query and fragment are passed over.
    package init(_ text: String) throws(PageFault) {
        let (origin, rest) = try PageOrigin.read(text)
        self.origin = origin
        path = try PagePath(rest.prefix { !"?#".utf8.contains($0) })
    }

    package var description: String { origin.text + path.text }
}
