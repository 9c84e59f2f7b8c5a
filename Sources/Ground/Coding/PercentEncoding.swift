/// The percent-encoding of paths and queries (RFC 3986 §2).
public enum PercentEncoding {
    /// Returns the bytes as text with unreserved characters unchanged and every other byte as `%XX`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                append(byte, to: &text)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends a byte as `%XX`, in upper case.
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(ASCII.percent)
        text += Hex.encode([byte]).uppercased().utf8
    }

    /// Returns the decoded bytes; `nil` if a `%` is not followed by two digits.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
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

    /// Returns whether a byte is an unreserved character (RFC 3986 §2.3).
    @inlinable
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == ASCII.hyphen || byte == ASCII.dot || byte == 0x5F || byte == 0x7E
    }
}
