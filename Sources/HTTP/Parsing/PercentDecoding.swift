import Ground

/// Decodes the percent-encoding of a request's path (RFC 3986 §2.1).
enum PercentDecoding {
    /// Decodes one segment of a path; returns `nil` for a segment that must not reach a file system or a name.
    ///
    /// Rejects malformed escapes, an encoded `/`, `\` or control character, every spelling of `.` and `..`, and bytes
    /// that are not UTF-8. Browsers and other systems treat `\` as `/`.
    static func segment(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let decoded = PercentEncoding.decode(bytes), !decoded.contains(where: isForbidden), !isDots(decoded[...])
        else {
            return nil
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == ASCII.slash || byte == ASCII.backslash || ASCII.isControl(byte)
    }

    static func isDots(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...2).contains(bytes.count) && bytes.allSatisfy { $0 == ASCII.dot }
    }
}
