/// The bytes of HTTP/1.1's syntax and their character classes (RFC 9110 §5.6).
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let openBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let closeBracket: UInt8 = 0x5D

    /// The `tchar` class as bit sets of the bytes below 64 and of those from 64 to 127.
    private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
    private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let bits = byte < 64 ? tokenLow : tokenHigh
        return (bits &>> UInt64(byte & 63)) & 1 == 1
    }

    /// The `unreserved` and `sub-delims` classes of RFC 3986 without the comma, as bit sets.
    private static let hostLow: UInt64 = 0x2BFF_6FD2_0000_0000
    private static let hostHigh: UInt64 = 0x47FF_FFFE_87FF_FFFE

    /// Whether a host name may contain this byte unescaped.
    @inline(__always)
    static func isHost(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let bits = byte < 64 ? hostLow : hostHigh
        return (bits &>> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether a field value may contain this byte: no control characters.
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= space && byte != 0x7F || byte == tab
    }

    /// Whether a request target may contain this byte.
    ///
    /// Bytes from 128 up are allowed: browsers never send them, but apps that concatenate a query do, and they are
    /// unambiguous.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > space && byte != 0x7F && byte != hash
    }

    /// Whether a byte is white space within a line (RFC 9110 §5.6.3).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// Whether a byte is a control character, which no name may contain, escaped or not.
    @inline(__always)
    static func isControl(_ byte: UInt8) -> Bool { byte < space || byte == 0x7F }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Returns the value of a hexadecimal digit.
    @inline(__always)
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
