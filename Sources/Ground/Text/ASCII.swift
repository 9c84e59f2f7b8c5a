/// The bytes of ASCII and their classes.
package enum ASCII {
    @inlinable package static var tab: UInt8 { 0x09 }
    @inlinable package static var lineFeed: UInt8 { 0x0A }
    @inlinable package static var carriageReturn: UInt8 { 0x0D }
    @inlinable package static var space: UInt8 { 0x20 }
    @inlinable package static var quote: UInt8 { 0x22 }
    @inlinable package static var hash: UInt8 { 0x23 }
    @inlinable package static var percent: UInt8 { 0x25 }
    @inlinable package static var ampersand: UInt8 { 0x26 }
    @inlinable package static var asterisk: UInt8 { 0x2A }
    @inlinable package static var comma: UInt8 { 0x2C }
    @inlinable package static var hyphen: UInt8 { 0x2D }
    @inlinable package static var dot: UInt8 { 0x2E }
    @inlinable package static var slash: UInt8 { 0x2F }
    @inlinable package static var colon: UInt8 { 0x3A }
    @inlinable package static var semicolon: UInt8 { 0x3B }
    @inlinable package static var equals: UInt8 { 0x3D }
    @inlinable package static var question: UInt8 { 0x3F }
    @inlinable package static var openBracket: UInt8 { 0x5B }
    @inlinable package static var backslash: UInt8 { 0x5C }
    @inlinable package static var closeBracket: UInt8 { 0x5D }

    /// Returns whether a byte is a control character.
    @inlinable @inline(__always)
    package static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    @inlinable @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    @inlinable @inline(__always)
    package static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }

    @inlinable @inline(__always)
    package static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

    @inlinable @inline(__always)
    package static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }

    @inlinable @inline(__always)
    package static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Returns whether a byte is a hexadecimal digit in either case.
    @inlinable @inline(__always)
    package static func isHexDigit(_ byte: UInt8) -> Bool { hexadecimal(byte) != nil }

    @inlinable @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

    /// Returns the value of a hexadecimal digit in either case.
    @inlinable @inline(__always)
    package static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
