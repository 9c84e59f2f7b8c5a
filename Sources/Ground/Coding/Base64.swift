/// Base64 with padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for position in 0..<4 {
                let isPadding = position > group.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> (18 - 6 * UInt32(position)) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes canonical Base64: full groups, padding only at the end, no white space; returns `nil` for other text.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (index, character) in characters.enumerated() {
            if index >= characters.count - padding {
                guard character == UInt8(ascii: "=") else { return nil }
                bits <<= 6
            } else {
                guard let value = alphabet.firstIndex(of: character) else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            if index % 4 == 3 {
                bytes += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
                bits = 0
            }
        }
        bytes.removeLast(padding)
        return encode(bytes) == text ? bytes : nil
    }

    /// Encodes as Base64 for URLs without padding (RFC 4648 §5).
    package static func encodeForURL(_ bytes: [UInt8]) -> String {
        encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes canonical Base64 for URLs without padding (RFC 4648 §5); returns `nil` for other text.
    package static func decodeForURL(_ text: some StringProtocol) -> [UInt8]? {
        let characters = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            // These belong to the other alphabet.
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): UInt8(ascii: " ")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - characters.count % 4) % 4)
        guard padding.count < 3 else { return nil }
        return decode(String(decoding: characters + padding, as: UTF8.self))
    }
}
