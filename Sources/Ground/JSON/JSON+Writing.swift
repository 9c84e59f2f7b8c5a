extension JSON {
    /// Returns the value as compact JSON; equal values give equal bytes.
    ///
    /// - Parameter escapingNonASCII: Whether to write every non-ASCII character as `\u` escapes.
    package func bytes(escapingNonASCII: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, escapingNonASCII)
        return output
    }

    package var text: String { String(decoding: bytes(), as: UTF8.self) }

    private func write(to output: inout [UInt8], _ ascii: Bool) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let value): output += String(value).utf8
        case .number(let text): output += text.utf8
        case .string(let value): Self.write(value, to: &output, ascii)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output, ascii)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &output, ascii)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output, ascii)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8], _ ascii: Bool) {
        output.append(UInt8(ascii: "\""))
        if !ascii, !text.utf8.contains(where: mayNeedEscape) {
            output += text.utf8
        } else {
            writeEscaped(text, to: &output, ascii)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether a character with this byte may be written as an escape: a control character, `"`, `\`, or the first byte
    /// of a line separator.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xE2
    }

    private static func writeEscaped(_ text: String, to output: inout [UInt8], _ ascii: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\"".utf8
            case "\\": output += "\\\\".utf8
            case "\n": output += "\\n".utf8
            case "\r": output += "\\r".utf8
            case "\t": output += "\\t".utf8
            case "\u{0}"..."\u{1F}", "\u{7F}": escape(UInt16(scalar.value), to: &output)
            // Unicode line separators end a line in older JavaScript.
            case "\u{2028}", "\u{2029}": escape(UInt16(scalar.value), to: &output)
            default:
                if ascii, scalar.value > 0x7F {
                    for unit in String(scalar).utf16 { escape(unit, to: &output) }
                } else {
                    output += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                }
            }
        }
    }

    private static func escape(_ unit: UInt16, to output: inout [UInt8]) {
        let digits = String(unit, radix: 16)
        output += "\\u".utf8
        output += String(repeating: "0", count: 4 - digits.utf8.count).utf8
        output += digits.utf8
    }
}
