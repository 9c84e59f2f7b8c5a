import Domain

/// A scanner of the references in a style sheet, `url(…)` and `@import`, by a subset of CSS Syntax Level 3.
struct StyleScanner {
    private var scanner: ByteScanner

    init(_ bytes: [UInt8], in range: Range<Int>? = nil) { scanner = ByteScanner(bytes, in: range) }

    mutating func scan(into facts: inout FileFacts) {
        var last: UInt8 = 0
        while let byte = scanner.current {
            switch byte {
            case UInt8(ascii: "/") where scanner.peek(1) == UInt8(ascii: "*"):
                scanner.skip(2)
                facts.addComment(scanner.skip(past: "*/"), of: scanner.bytes)
            case UInt8(ascii: "\\"): scanner.skip(2)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = scanner.takeQuoted()
            case UInt8(ascii: "@") where scanner.isAt(ignoringCase: Self.importRule):
                scanner.skip(Self.importRule.utf8.count)
                scanner.skipBlanks()
                if scanner.current?.isQuote == true { facts.add(.resource, scanner.text(scanner.takeQuoted())) }
            case UInt8(ascii: "@") where scanner.isAt(ignoringCase: Self.namespaceRule):
                scanner.skip(to: UInt8(ascii: ";"))
            case UInt8(ascii: "u"), UInt8(ascii: "U"):
                if !last.isWordByte, last != UInt8(ascii: "-"), scanner.isAt(ignoringCase: Self.url) {
                    scanner.skip(Self.url.utf8.count)
                    addURL(to: &facts)
                } else {
                    scanner.skip()
                }
            default: scanner.skip()
            }
            last = byte
        }
    }

    /// Adds a URL; ignores one with escapes, which builds never write.
    private mutating func addURL(to facts: inout FileFacts) {
        scanner.skipBlanks()
        let isQuoted = scanner.current?.isQuote == true
        let range = isQuoted ? scanner.takeQuoted() : scanner.take { $0 != UInt8(ascii: ")") && !$0.isBlank }
        guard let text = scanner.text(range), !text.utf8.contains(UInt8(ascii: "\\")) else { return }
        facts.add(.resource, text)
    }

    private static let url = "url("
    private static let importRule = "@import"
    private static let namespaceRule = "@namespace"
}
