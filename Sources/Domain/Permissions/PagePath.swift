import Ground

/// The path of a page's URL in a single normalized form (RFC 3986 §6.2.2).
///
/// Unreserved characters are unescaped, and other escapes have upper-case digits. Text that servers interpret in
/// different ways is rejected instead of normalized: dot segments, empty parts, escaped slashes and control characters,
/// escapes of escapes, bytes that are not UTF-8 (decision 0028).
package struct PagePath: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The limit on the parts of a grant's path, which bounds the number of grants that can cover one page.
    package static let maximumPrefixParts = 16

    /// Parses a path without query and fragment.
    package init(_ text: String) throws(PageFault) {
        guard text.utf8.count <= PageURL.maximumLength else { throw .tooLong }
        guard !text.isEmpty else { throw .path }
        try self.init(Array(text.utf8)[...])
    }

    /// Parses the path of a URL, where an empty path is `/`.
    init(_ bytes: ArraySlice<UInt8>) throws(PageFault) {
        guard let first = bytes.first else {
            text = "/"
            return
        }
        guard first == UInt8(ascii: "/") else { throw .path }
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var path = ""
        for (index, part) in parts.enumerated() {
            guard !part.isEmpty || index == parts.count - 1 else { throw .emptyPart }
            path += "/"
            path += try Self.normalized(part)
        }
        text = path
    }

    private init(known text: String) { self.text = text }

    package static func < (left: PagePath, right: PagePath) -> Bool { left.text < right.text }

    package var description: String { text }

    /// Returns the path without a final slash, except for `/` itself; throws `tooDeep`.
    package func prefix() throws(PageFault) -> PagePath {
        guard text != "/" else { return self }
        let prefix = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard prefix.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= Self.maximumPrefixParts else { throw .tooDeep }
        return PagePath(known: prefix)
    }

    /// Returns whether this path covers another one by whole parts: `/a/b` covers `/a/b/` and `/a/b/c`, not `/a/bc`.
    ///
    /// This path must be a result of ``prefix()``.
    package func covers(_ other: PagePath) -> Bool {
        text == "/" || text == other.text || other.text.hasPrefix(text + "/")
    }

    /// The paths that cover this one, in the form of ``prefix()``, without those that have too many parts for a grant.
    package var prefixes: [PagePath] {
        var prefixes = [PagePath(known: "/")]
        var path = ""
        for part in text.split(separator: "/").prefix(Self.maximumPrefixParts) {
            path += "/" + part
            prefixes.append(PagePath(known: path))
        }
        return prefixes
    }

    private static func normalized(_ part: ArraySlice<UInt8>) throws(PageFault) -> String {
        let decoded = try decoded(part)
        // Some servers treat the text after ';' as parameters, and so '..;' as '..'.
        let name = decoded.prefix { $0 != UInt8(ascii: ";") }
        guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { throw .dotPart }
        guard String(validating: decoded, as: UTF8.self) != nil, !hasEscape(decoded) else { throw .hiddenCharacter }
        return encoded(part)
    }

    /// Returns the unescaped bytes of a part.
    private static func decoded(_ part: ArraySlice<UInt8>) throws(PageFault) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = part.startIndex
        while index < part.endIndex {
            let byte = part[index]
            if byte == UInt8(ascii: "%") {
                guard let value = escape(part, at: index) else { throw .path }
                guard value >= 0x20, value != 0x7F, !"/\\".utf8.contains(value) else { throw .hiddenCharacter }
                decoded.append(value)
                index += 3
            } else {
                guard PercentEncoding.isUnreserved(byte) || "!$&'()*+,;=:@".utf8.contains(byte) else { throw .path }
                decoded.append(byte)
                index += 1
            }
        }
        return decoded
    }

    /// Returns the normalized form of a part that ``decoded(_:)`` accepts.
    private static func encoded(_ part: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var index = part.startIndex
        while index < part.endIndex {
            guard let value = escape(part, at: index) else {
                text.append(part[index])
                index += 1
                continue
            }
            if PercentEncoding.isUnreserved(value) {
                text.append(value)
            } else {
                PercentEncoding.append(value, to: &text)
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hasEscape(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { escape(bytes[...], at: $0) != nil }
    }

    /// Returns the byte that is escaped at an index; `nil` if there is no escape.
    private static func escape(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex else { return nil }
        return PercentEncoding.decode(bytes[index...index + 2])?.first
    }
}
