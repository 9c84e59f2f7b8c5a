import Domain

/// The facts found in a page, a style sheet or a script.
struct FileFacts {
    enum Use {
        /// A resource that is loaded with the file: a script, a style, an image.
        case resource
        /// The target of a link, which is often a page generated on request.
        case link
        /// A module specifier, which is a path only if it begins with a dot.
        case module
    }

    struct Reference {
        let use: Use
        /// The text of the reference as written.
        let text: String
    }

    private(set) var references: [Reference] = []
    /// The references to source maps.
    private(set) var sourceMaps: [String] = []
    /// Whether the file embeds a source map.
    private(set) var holdsSourceMap = false
    var registersServiceWorker = false
    /// The `href` of a page's `<base>`; `nil` if there is none.
    var base: String?

    private let limit: Int

    /// - Parameter limit: The number of references to keep.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ use: Use, _ text: String?) {
        guard let text, !text.isEmpty, references.count < limit else { return }
        references.append(Reference(use: use, text: text))
    }

    /// Searches the text of a comment for `# sourceMappingURL=…`.
    mutating func addComment(_ range: Range<Int>, of bytes: [UInt8]) {
        var scanner = ByteScanner(bytes, in: range)
        guard let mark = scanner.current, mark == UInt8(ascii: "#") || mark == UInt8(ascii: "@") else { return }
        scanner.skip()
        scanner.skipBlanks()
        guard scanner.isAt(Self.sourceMappingURL) else { return }
        scanner.skip(Self.sourceMappingURL.utf8.count)
        if scanner.isAt("data:") {
            holdsSourceMap = true
        } else if sourceMaps.count < limit, let text = scanner.text(scanner.take { !$0.isBlank }) {
            sourceMaps.append(text)
        }
    }

    private static let sourceMappingURL = "sourceMappingURL="
}
