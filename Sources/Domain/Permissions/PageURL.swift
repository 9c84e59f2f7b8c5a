/// The URL of a page without query and fragment, in a single normalized form (semantics.md §6).
package struct PageURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: PageOrigin
    package let path: PagePath

    /// The limit on the bytes of a URL, including query and fragment.
    package static let maximumLength = 2048

    /// Parses an absolute URL; ignores query and fragment.
    package init(_ text: String) throws(PageFault) {
        let (origin, rest) = try PageOrigin.read(text)
        self.origin = origin
        path = try PagePath(rest.prefix { !"?#".utf8.contains($0) })
    }

    package var description: String { origin.text + path.text }
}
