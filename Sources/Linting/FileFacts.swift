import Domain

/// What was found in a page, a style sheet or a script.
struct FileFacts {
    enum Use {
        /// Loaded with the file: scripts, styles, images.
        case resource
        /// Where a link leads; often a page that is made when it is asked for.
        case link
        /// The name of a module, which is a path only where it begins with a dot.
        case module
    }

    struct Reference {
        let use: Use
        /// As it is written.
        let text: String
    }

    private(set) var references: [Reference] = []
    /// Where the file says that its source map is.
    private(set) var sourceMaps: [String] = []
    /// A source map lies in the file itself.
    private(set) var holdsSourceMap = false
    var registersServiceWorker = false
    /// What a page's `<base>` says; `nil` where there is none.
    var base: String?

    private let limit: Int

    /// - Parameter limit: References that are kept.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ use: Use, _ text: String?) {
        guard let text, !text.isEmpty, references.count < limit else { return }
        references.append(Reference(use: use, text: text))
    }

    /// Looks at a comment's inside for `# sourceMappingURL=…`.
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
