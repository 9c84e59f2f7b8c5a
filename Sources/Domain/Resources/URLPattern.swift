import Ground

/// A regular expression by which seed 004's clients match URLs (clients.md P8).
///
/// It is restricted to the syntax that ICU (`NSRegularExpression`), Java and JavaScript interpret equally, since
/// clients use these engines.
package struct URLPattern: Sendable, Hashable, CustomStringConvertible {
    /// The limit on the UTF-8 bytes.
    package static let maximumLength = 2048

    package let text: String

    /// Throws for syntax that engines interpret differently, and for patterns that may be too slow (decision 0052).
    package init(_ text: String) throws(Fault) {
        var budget = PatternBudget()
        try self.init(text, within: &budget)
    }

    /// Checks one of several patterns, which share the budget.
    package init(_ text: String, within budget: inout PatternBudget) throws(Fault) {
        try URLPatternCost.check(try Self.node(text), within: &budget)
        self.text = text
    }

    /// Parses a stored pattern, which may predate the cost check.
    package init(stored text: String) throws(Fault) {
        _ = try Self.node(text)
        self.text = text
    }

    private static func node(_ text: String) throws(Fault) -> PatternNode {
        guard !text.isEmpty else { throw Fault("it is empty", at: 0) }
        guard text.utf8.count <= maximumLength else {
            throw Fault("it is longer than \(maximumLength) bytes", at: maximumLength)
        }
        var reader = URLPatternReader(text)
        return try reader.readAll()
    }

    /// The fault of an invalid pattern.
    package struct Fault: Error, Sendable, Equatable {
        /// The fault in words, to follow "is no regular expression here:".
        package let message: String

        init(_ reason: String, at position: Int) {
            message = "\(reason) (character \(position + 1))"
        }
    }

    package var description: String { text }
}

extension URLPattern {
    /// Creates a pattern of a file's URLs below a prefix, on any host and with any query; it matches whole URLs.
    ///
    /// Characters that browsers leave unescaped in paths match with and without an escape.
    ///
    /// - Parameter isEntry: Whether the prefix itself leads to the file as well, with and without its final slash.
    package init(of path: TreePath, below prefix: URLPrefix, isEntry: Bool) {
        let folder = Self.escaped(String(prefix.text.dropLast()))
        let file = Self.escaped("/" + path.text)
        let rest = isEntry ? "(?:/?|\(file))" : file
        text = "^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*\(folder)\(rest)(?:[?#].*)?$"
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = String(Unicode.Scalar(byte))
            let escape = "%" + Hex.encode([byte]).uppercased()
            if ASCII.isAlphanumeric(byte) || "/-_~".utf8.contains(byte) { return character }
            if byte == UInt8(ascii: ".") { return "\\." }
            guard "!$&'()*+,:;=@[]|^".utf8.contains(byte) else { return escape }
            let needsEscape = "$()*+[]|^".utf8.contains(byte)
            return "(?:" + (needsEscape ? "\\" : "") + character + "|\(escape))"
        }.joined()
    }
}
