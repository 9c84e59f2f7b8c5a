import Ground

/// The id of a resource for seed 004's clients, which begins the name of its file (clients.md P7).
package struct ResourceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The limit on the ASCII characters: a file name has at most 255, of which a dash and a number need 20.
    package static let maximumLength = 200

    package let text: String

    package static let shape = "1 to \(maximumLength) letters, digits, '.', '_', '=' and '-'"

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ Self.isPlain($0) || $0 == 0x5F })
        else { return nil }
        self.text = text
    }

    /// Creates the id of a path that no rule names.
    ///
    /// Slashes become `_`; each byte of a character that is neither a letter, a digit, `.` nor `-` becomes `=` and two
    /// upper-case hex digits, so that no two paths share an id. An id that would be too long is cut, and ends with `=s`
    /// and the 32 hex digits of the path's 128-bit FNV-1a hash.
    package init(of path: TreePath) {
        var text = ""
        for byte in path.text.utf8 {
            if byte == UInt8(ascii: "/") {
                text += "_"
            } else if Self.isPlain(byte), byte != UInt8(ascii: "=") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "=" + Hex.encode([byte]).uppercased()
            }
        }
        if text.utf8.count > Self.maximumLength {
            let mark = "=s" + FNV1a.hex(path.text.utf8)
            text = text.prefix(Self.maximumLength - mark.utf8.count) + mark
        }
        self.text = text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || ".=-".utf8.contains(byte)
    }

    /// The id in lower case, the form that is unique in a list, since some file systems ignore case.
    package var folded: String { text.lowercased() }

    /// Returns the name of the resource's file, which always stands for one content.
    package func fileName(_ number: Int64) -> String { "\(text)-\(number)" }

    package static func < (left: ResourceID, right: ResourceID) -> Bool { left.text < right.text }

    package var description: String { text }
}
