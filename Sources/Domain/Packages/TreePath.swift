/// The path of a file in a tree: relative, `/` between its parts, Unicode NFC (semantics.md §1).
package struct TreePath: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// Why a path is refused.
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

    /// UTF-8 bytes of a whole path, and of one part: what file systems of devices take.
    package static let maximumLength = 1024
    package static let maximumPartLength = 255
    /// Parts of a path, the file's name included.
    package static let maximumDepth = 32

    /// Checks the name of a zip entry, given as its bytes, and normalises it.
    package init(validating bytes: some Collection<UInt8>) throws(Fault) {
        guard !bytes.isEmpty else { throw .empty }
        guard let raw = String(validating: Array(bytes), as: UTF8.self) else { throw .notUTF8 }
        try self.init(raw)
    }

    /// Checks and normalises a path.
    package init(_ raw: String) throws(Fault) {
        let text = Normalization.nfc(raw)
        let bytes = Array(text.utf8)
        guard let first = bytes.first else { throw .empty }
        guard bytes.count <= Self.maximumLength else { throw .tooLong }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .controlCharacter }
        guard !bytes.contains(UInt8(ascii: "\\")) else { throw .backslash }
        guard first != Self.slash else { throw .absolute }
        guard !(bytes.count > 1 && bytes[1] == UInt8(ascii: ":") && IdentifierGrammar.isAlphanumeric(first)) else {
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

    /// `app.config.json` at the root: what seed 000's client reads the version from.
    package static let appConfig = TreePath(known: "app.config.json")
    /// `files.json` at the root: the map from online paths to files (clients.md K16, K18).
    package static let fileMap = TreePath(known: "files.json")

    /// `larder.json` at the root: what an upload says of itself to the server.
    package static let ownSettings = TreePath(known: "larder.json")

    /// `index.html` at the root: the entry of a package that names none.
    package static let index = TreePath(known: "index.html")

    /// `preset.json` and `keys.json`: what lies beside the packages in a preset's zip.
    package static let presetIndex = TreePath(known: "preset.json")
    package static let keys = TreePath(known: "keys.json")

    /// The path with a folder put before it; both are valid, so the whole is, its length and depth aside.
    package func under(_ folder: String) -> TreePath { TreePath(known: "\(folder)/\(text)") }

    /// The first part, and what follows it; `nil` for a file at the root.
    package var splitFirst: (folder: String, rest: TreePath)? {
        guard let slash = text.utf8.firstIndex(of: Self.slash) else { return nil }
        return (String(text[..<slash]), TreePath(known: String(text[text.utf8.index(after: slash)...])))
    }

    /// The last part alone.
    package var fileName: TreePath { TreePath(known: String(parts.last ?? "")) }

    /// The names of the folders above the file, outermost first, and the file's own.
    package var parts: [Substring] { text.utf8.split(separator: Self.slash).map { Substring($0) } }

    /// Looked for among bytes, as file systems do: as a character it is another one where an accent follows.
    private static let slash = UInt8(ascii: "/")

    /// Equal by bytes, as file systems and hashes see it.
    package static func == (left: TreePath, right: TreePath) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// By UTF-8 bytes.
    package static func < (left: TreePath, right: TreePath) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package var description: String { text }
}
