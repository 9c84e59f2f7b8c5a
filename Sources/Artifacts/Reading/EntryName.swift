import Domain

/// The name of a zip entry: what it is worth as a path, and how it is shown.
struct EntryName {
    let bytes: [UInt8]

    /// The bytes without the `./` that some archivers put before every name; it says nothing.
    var path: ArraySlice<UInt8> {
        var path = bytes[...]
        while path.starts(with: "./".utf8) { path = path.dropFirst(2) }
        return path
    }

    var isFolder: Bool { bytes.last == UInt8(ascii: "/") }

    /// Whether the entry is a trace of a Mac and no part of the package.
    var isJunk: Bool {
        let parts = bytes.split(separator: UInt8(ascii: "/"))
        return parts.contains { $0.elementsEqual("__MACOSX".utf8) }
            || parts.last?.elementsEqual(".DS_Store".utf8) ?? false
    }

    /// For people: see ``ShownText``.
    var shown: String { ShownText.of(bytes) }
}
