import Ground

/// A regular expression that clients of seed 004 match URLs with (clients.md P8).
///
/// Every one that ICU (`NSRegularExpression`), Java and JavaScript read alike, and nothing else: those are what clients
/// have.
package struct URLPattern: Sendable, Hashable, CustomStringConvertible {
    /// UTF-8 bytes.
    package static let maximumLength = 2048

    package let text: String

    /// Throws for what clients read in different ways, and for what may take them too long (decision 0052).
    package init(_ text: String) throws(Fault) {
        var budget = PatternBudget()
        try self.init(text, within: &budget)
    }

    /// The same for one of several patterns, which share the budget of their checks.
    package init(_ text: String, within budget: inout PatternBudget) throws(Fault) {
        try URLPatternCost.check(try Self.node(text), within: &budget)
        self.text = text
    }

    /// A pattern that was stored, maybe before its cost was checked.
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

    /// Why an expression is refused.
    package struct Fault: Error, Sendable, Equatable {
        /// To follow "is no regular expression here:".
        package let message: String

        init(_ reason: String, at position: Int) {
            message = "\(reason) (character \(position + 1))"
        }
    }

    package var description: String { text }
}

extension URLPattern {
    /// Matches the URLs of a file below a prefix, on any host and with any query, found or matched as a whole.
    ///
    /// What browsers leave as it is in a path is taken as it is and as an escape.
    ///
    /// - Parameter isEntry: The prefix itself leads to the file as well, with and without its final slash.
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
