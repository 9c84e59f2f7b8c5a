import Ground

/// The path of a file in a tree: relative, `/` between its parts, Unicode NFC (semantics.md §1).
package struct TreePath: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The fault of an invalid path.
    package enum Fault: String, Error, Sendable {
        case empty = "path-empty"
        case notUTF8 = "path-not-utf8"
        case absolute = "path-absolute"
        case driveLetter = "path-drive-letter"
        case backslash = "path-backslash"
        case traversal = "path-traversal"
        case emptyPart = "path-empty-part"
        case controlCharacter = "path-control-character"
        case tooLong = "path-too-long"
        case partTooLong = "path-part-too-long"
        case tooDeep = "path-too-deep"
    }

    /// The limits on the UTF-8 bytes of a path and of one part, which devices' file systems support.
    package static let maximumLength = 1024
    package static let maximumPartLength = 255
    /// The limit on the parts of a path, including the file's name.
    package static let maximumDepth = 32

    /// Validates and normalizes the name of a zip entry, given as bytes.
    package init(validating bytes: some Collection<UInt8>) throws(Fault) {
        guard !bytes.isEmpty else { throw .empty }
        guard let raw = String(validating: Array(bytes), as: UTF8.self) else { throw .notUTF8 }
        try self.init(raw)
    }

    /// Validates and normalizes a path.
    package init(_ raw: String) throws(Fault) {
        let text = Normalization.nfc(raw)
        let bytes = Array(text.utf8)
        guard let first = bytes.first else { throw .empty }
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter }
        guard !bytes.contains(UInt8(ascii: "\\")) else { throw .backslash }
        guard first != Self.slash else { throw .absolute }
        guard !(bytes.count > 1 && bytes[1] == UInt8(ascii: ":") && ASCII.isAlphanumeric(first)) else {
            throw .driveLetter
        }
        let parts = bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumDepth else { throw .tooDeep }
        for part in parts {
            guard !part.isEmpty else { throw .emptyPart }
            guard part.count <= Self.maximumPartLength else { throw .partTooLong }
            guard !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else { throw .traversal }
        }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The path `app.config.json`, from which seed 000's client reads the version.
    package static let appConfig = TreePath(known: "app.config.json")
    /// The path `files.json`, the map from online paths to files (clients.md K16, K18).
    package static let fileMap = TreePath(known: "files.json")

    /// The path `larder.json`, an upload's own settings.
    package static let ownSettings = TreePath(known: "larder.json")

    /// The path `index.html`, the default entry of a package.
    package static let index = TreePath(known: "index.html")

    /// The paths `preset.json` and `keys.json`, beside the packages in a preset's zip.
    package static let presetIndex = TreePath(known: "preset.json")
    package static let keys = TreePath(known: "keys.json")

    /// Returns the path below a folder; it is valid except for its length and depth, which are not checked.
    package func under(_ folder: String) -> TreePath { TreePath(known: "\(folder)/\(text)") }

    /// The first part and the rest of the path; `nil` for a file at the root.
    package var splitFirst: (folder: String, rest: TreePath)? {
        guard let slash = text.utf8.firstIndex(of: Self.slash) else { return nil }
        return (String(text[..<slash]), TreePath(known: String(text[text.utf8.index(after: slash)...])))
    }

    /// The last part.
    package var fileName: TreePath { TreePath(known: String(parts.last ?? "")) }

    /// The names of the folders, outermost first, and of the file.
    package var parts: [Substring] { text.utf8.split(separator: Self.slash).map { Substring($0) } }

    /// The separator as a byte, like in file systems: the character `/` with a combining accent is not equal to `/`.
    private static let slash = UInt8(ascii: "/")

    /// Compares bytes, like file systems and hashes.
    package static func == (left: TreePath, right: TreePath) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Orders paths by their UTF-8 bytes.
    package static func < (left: TreePath, right: TreePath) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package var description: String { text }
}
