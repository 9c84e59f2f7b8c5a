import Domain
import Ground

/// The encoding of values in log lines.
enum Logfmt {
    /// Returns a plain value unchanged and any other value quoted, so that no value can look like another field.
    static func value(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        return isPlain ? text : escapingDeceptive(JSON.string(text).text)
    }

    /// Escapes the characters that act on a terminal or change the order in which text is shown.
    private static func escapingDeceptive(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDeceptive) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isDeceptive(scalar) {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns whether a scalar is DEL, a C1 control, a line separator or a bidirectional control.
    ///
    /// All of them have at most four hex digits.
    private static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
