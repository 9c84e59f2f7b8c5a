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

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
    static func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
    static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLower(byte) || isUpper(byte) }

    /// The grammar of apps and channels: lower case, so that they are equal in any URL.
    static let lowercaseName = IdentifierGrammar(
        first: { isLower($0) || isDigit($0) },
        rest: { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "-") },
        maximumLength: 63,
        shape: "lower-case letters, digits and '-', 63 at most, the first a letter or digit")

    static let packageName = IdentifierGrammar(
        first: isAlphanumeric,
        rest: { isAlphanumeric($0) || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains($0) },
        maximumLength: 64,
        shape: "letters, digits, '.', '_' and '-', 64 at most, the first a letter or digit, no '..'")

    static let versionString = IdentifierGrammar(
        first: isAlphanumeric,
        rest: {
            isAlphanumeric($0)
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0)
        },
        maximumLength: 64,
        shape: "letters, digits, '.', '_', '+' and '-', 64 at most, the first a letter or digit, no '..'")
}
