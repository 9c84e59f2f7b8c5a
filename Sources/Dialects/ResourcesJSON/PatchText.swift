import Ground

/// The text of a patch: ASCII, with other characters escaped like in `encodeURI`.
struct PatchText {
    private var bytes: [UInt8] = []

    var count: Int { bytes.count }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the number of characters that a unit takes.
    static func width(of unit: UInt16) -> Int {
        if unit < 0x80 { return isPlain(UInt8(unit)) ? 1 : 3 }
        return unit < 0x800 ? 6 : 9
    }

    mutating func appendHeading(_ start: Int, _ oldLength: Int, _ newLength: Int) {
        bytes += "@@ -\(Self.range(start, oldLength)) +\(Self.range(start, newLength)) @@\n".utf8
    }

    /// Appends one line of a hunk; nothing for an empty range.
    ///
    /// - Parameter units: The units, without surrogates.
    mutating func appendLine(_ sign: Unicode.Scalar, _ units: ArraySlice<UInt16>) {
        guard !units.isEmpty else { return }
        bytes.append(UInt8(ascii: sign))
        for unit in units {
            if unit < 0x80, Self.isPlain(UInt8(unit)) {
                bytes.append(UInt8(unit))
            } else {
                for byte in String(decoding: CollectionOfOne(unit), as: UTF16.self).utf8 {
                    PercentEncoding.append(byte, to: &bytes)
                }
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns a range in the format of a heading: counted from one, except for an empty range.
    private static func range(_ start: Int, _ length: Int) -> String {
        switch length {
        case 0: "\(start),0"
        case 1: "\(start + 1)"
        default: "\(start + 1),\(length)"
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || " -_.!~*'();/?:@&=+$,#".utf8.contains(byte)
    }
}
