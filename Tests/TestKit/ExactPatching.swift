/// A client that applies hunks only at their exact position.
package enum ExactPatching {
    package struct Mismatch: Error {
        let line: String
    }

    /// Applies a text patch; throws if the text at a hunk's position differs.
    package static func apply(_ patch: String, to old: String) throws -> String {
        var text = Array(old.utf16)
        var position = 0
        for line in patch.split(separator: "\n") {
            let units = Array(try decoded(line.dropFirst()).utf16)
            switch line.first {
            case "@":
                let fields = line.split(separator: " ")[2].dropFirst().split(separator: ",")
                guard let start = Int(fields[0]) else { throw Mismatch(line: String(line)) }
                position = fields.count > 1 && fields[1] == "0" ? start : start - 1
            case "+":
                text.insert(contentsOf: units, at: position)
                position += units.count
            default:
                guard text.dropFirst(position).starts(with: units) else { throw Mismatch(line: String(line)) }
                if line.first == "-" {
                    text.removeSubrange(position..<position + units.count)
                } else {
                    position += units.count
                }
            }
        }
        return String(decoding: text, as: UTF16.self)
    }

    private static func decoded(_ line: Substring) throws -> String {
        var bytes: [UInt8] = []
        var rest = Array(line.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                throw Mismatch(line: String(line))
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
