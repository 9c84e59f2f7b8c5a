import Domain
import Ground

/// The name of a zip entry, as a path and for display.
struct EntryName {
    let bytes: [UInt8]

    /// The bytes without the meaningless `./` that some archivers put before every name.
    var path: ArraySlice<UInt8> {
        var path = bytes[...]
        while path.starts(with: "./".utf8) { path = path.dropFirst(2) }
        return path
    }

    var isFolder: Bool { bytes.last == UInt8(ascii: "/") }

    /// Whether the entry is a macOS artifact and no part of the package.
    var isJunk: Bool {
        let parts = bytes.split(separator: UInt8(ascii: "/"))
        return parts.contains { $0.elementsEqual("__MACOSX".utf8) }
            || parts.last?.elementsEqual(".DS_Store".utf8) ?? false
    }

    /// The name for display; see ``ShownText``.
    var shown: String { ShownText.of(bytes) }
}
