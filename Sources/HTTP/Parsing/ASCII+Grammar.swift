import Ground

/// The character classes of HTTP/1.1's syntax (RFC 9110 §5.6, RFC 3986).
extension ASCII {
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
}
