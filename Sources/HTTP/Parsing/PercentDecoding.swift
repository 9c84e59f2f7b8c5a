/// A decoder of percent-encoding (RFC 3986 §2.1).
enum PercentDecoding {
    /// Returns the decoded bytes, or `nil` if a `%` is not followed by two hexadecimal digits.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == ASCII.percent else {
                decoded.append(byte)
                continue
            }
            guard index + 2 <= bytes.endIndex, let high = ASCII.hexadecimal(bytes[index]),
                let low = ASCII.hexadecimal(bytes[index + 1])
            else { return nil }
            decoded.append(high << 4 | low)
            index += 2
        }
        return decoded
    }

    /// Decodes one segment of a path; returns `nil` for a segment that must not reach a file system or a name.
    ///
    /// Rejects malformed escapes, an encoded `/`, `\` or control character, every spelling of `.` and `..`, and bytes
    /// that are not UTF-8. Browsers and other systems treat `\` as `/`.
    static func segment(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let decoded = decode(bytes), !decoded.contains(where: isForbidden), !isDots(decoded[...]) else {
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
