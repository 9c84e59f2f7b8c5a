import Ground

/// What a client of seed 004 calls a resource, and the first part of the name of its file (clients.md P7).
package struct ResourceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// ASCII; a file's name takes 255, of which a dash and a number need 20.
    package static let maximumLength = 200

    package let text: String

    package static let shape = "letters, digits, '.', '_', '=' and '-', \(maximumLength) at most"

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ Self.isPlain($0) || $0 == 0x5F })
        else { return nil }
        self.text = text
    }

    /// The id of a path that no rule names: slashes become `_`, and what is neither a letter, a digit, `.` nor `-` becomes
    /// `=` and the two upper-case hex digits of each of its bytes, so that no two paths share one.
    ///
    /// One that would be too long is cut, and ends with `=s` and the 32 hex digits of the path's FNV-1a hash of 128 bits.
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

    /// The id in the form in which it is unique in a list: some file systems fold cases.
    package var folded: String { text.lowercased() }

    /// The name of the resource's file; it never means two contents.
    package func fileName(_ number: Int64) -> String { "\(text)-\(number)" }

    package static func < (left: ResourceID, right: ResourceID) -> Bool { left.text < right.text }

    package var description: String { text }
}
