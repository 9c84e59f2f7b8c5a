import Ground

/// The path of a file, split at the content hash that a bundler put into its name.
struct HashedName {
    /// The position of the hash in the path, in UTF-8 bytes; `nil` without one.
    let token: Range<Int>?
    /// The path without the hash, which is equal for the same chunk in two versions.
    let stem: [UInt8]

    /// Splits a path of a tree.
    init(_ path: String) {
        let bytes = Array(path.utf8)
        let start = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        token = Self.token(in: bytes, from: start)
        stem = token.map { bytes[..<$0.lowerBound] + [UInt8(ascii: "*")] + bytes[$0.upperBound...] } ?? bytes
    }

    /// Returns the first part between dots that is a hash, or that ends with a dash and a hash.
    private static func token(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        for part in bytes[start...].split(separator: UInt8(ascii: ".")) {
            if isHash(part, isWhole: true) { return part.startIndex..<part.endIndex }
            for dash in part.indices where isSeparator(part[dash]) {
                let rest = part[(dash + 1)...]
                if isHash(rest, isWhole: false) { return rest.startIndex..<rest.endIndex }
            }
        }
        return nil
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

    /// Whether a part of a name looks like a content hash.
    ///
    /// A hash is 8 to 64 lower-case hexadecimal digits with at least one of 0–9 (webpack), or exactly 8 letters,
    /// digits, `-` and `_` (Vite). These eight characters need a digit and a capital if they are the whole part, and
    /// one of the two after `-` or `_`.
    private static func isHash(_ part: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        guard part.count >= 8, part.count <= TokenMap.longest, part.allSatisfy(TokenMap.isTokenByte) else {
            return false
        }
        let hasDigit = part.contains(where: ASCII.isDigit)
        if hasDigit, part.allSatisfy(isHexDigit) { return true }
        let hasCapital = part.contains(where: ASCII.isUpper)
        return part.count == 8 && (isWhole ? hasDigit && hasCapital : hasDigit || hasCapital)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        ASCII.isHexDigit(byte) && !ASCII.isUpper(byte)
    }
}
