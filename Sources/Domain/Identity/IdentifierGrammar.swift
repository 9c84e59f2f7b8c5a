import Ground

/// The grammar of a kind of identifiers (semantics.md §1): ASCII, a first character, and further ones up to a length.
struct IdentifierGrammar {
    let first: @Sendable (UInt8) -> Bool
    let rest: @Sendable (UInt8) -> Bool
    let maximumLength: Int
    /// The rule in words, to follow a colon or "must have".
    let shape: String

    /// Returns whether a string matches; two dots in a row never do.
    func accepts(_ string: String) -> Bool {
        let bytes = Array(string.utf8)
        guard let head = bytes.first, first(head), bytes.count <= maximumLength else { return false }
        guard bytes.dropFirst().allSatisfy(rest) else { return false }
        return !zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: ".") && $1 == UInt8(ascii: ".") }
    }

    /// The grammar of apps and channels: lower case, so that they are equal in any URL.
    static let lowercaseName = IdentifierGrammar(
        first: { ASCII.isLower($0) || ASCII.isDigit($0) },
        rest: { ASCII.isLower($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") },
        maximumLength: 63,
        shape: "1 to 63 lower-case letters, digits and '-', beginning with a letter or digit")

    static let packageName = IdentifierGrammar(
        first: ASCII.isAlphanumeric,
        rest: { ASCII.isAlphanumeric($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0) },
        maximumLength: 64,
        shape: "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter or digit, without '..'")

    static let versionString = IdentifierGrammar(
        first: ASCII.isAlphanumeric,
        rest: {
            ASCII.isAlphanumeric($0)
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0)
        },
        maximumLength: 64,
        shape: "1 to 64 letters, digits, '.', '_', '+' and '-', beginning with a letter or digit, without '..'")
}
