// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The bytes of ASCII and their classes.
///
/// Public, since the compiler inlines only public functions into other modules.
public enum ASCII {
    @inlinable public static var tab: UInt8 { 0x09 }
    @inlinable public static var lineFeed: UInt8 { 0x0A }
    @inlinable public static var carriageReturn: UInt8 { 0x0D }
    @inlinable public static var space: UInt8 { 0x20 }
    @inlinable public static var quote: UInt8 { 0x22 }
    @inlinable public static var hash: UInt8 { 0x23 }
    @inlinable public static var percent: UInt8 { 0x25 }
    @inlinable public static var ampersand: UInt8 { 0x26 }
    @inlinable public static var asterisk: UInt8 { 0x2A }
    @inlinable public static var comma: UInt8 { 0x2C }
    @inlinable public static var hyphen: UInt8 { 0x2D }
    @inlinable public static var dot: UInt8 { 0x2E }
    @inlinable public static var slash: UInt8 { 0x2F }
    @inlinable public static var colon: UInt8 { 0x3A }
    @inlinable public static var semicolon: UInt8 { 0x3B }
    @inlinable public static var equals: UInt8 { 0x3D }
    @inlinable public static var question: UInt8 { 0x3F }
    @inlinable public static var openBracket: UInt8 { 0x5B }
    @inlinable public static var backslash: UInt8 { 0x5C }
    @inlinable public static var closeBracket: UInt8 { 0x5D }

    /// Returns whether a byte is a control character.
    @inlinable @inline(__always)
    public static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    @inlinable @inline(__always)
    public static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }

    @inlinable @inline(__always)
    public static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

    @inlinable @inline(__always)
    public static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }

    @inlinable @inline(__always)
    public static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Returns whether a byte is a hexadecimal digit in either case.
    @inlinable @inline(__always)
    public static func isHexDigit(_ byte: UInt8) -> Bool { hexadecimal(byte) != nil }

    @inlinable @inline(__always)
    public static func lowercased(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

    /// Returns the value of a hexadecimal digit in either case.
    @inlinable @inline(__always)
    public static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
