import Domain

/// What a delta patch does, file by file: the table of docs/formats/delta.md.
///
/// Files of the base are named by their number: all of them, sorted by the UTF-8 bytes of their paths, from 0.
struct DeltaManifest: Equatable {
    /// Whether a file of the base is in the result under its own path with its own bytes, in runs from number 0 on;
    /// those after the last run are not.
    var runs: [Run] = []
    /// Files of the base that make the prefix of the common frame, in order; their hash tokens replaced.
    var prefix: [ClosedRange<Int>] = []
    /// Every other file of the result.
    var entries: [Entry] = []

    struct Run: Equatable {
        var isKept: Bool
        /// 1 at least.
        var count: Int
    }

    struct Entry: Equatable {
        /// The file of the base that it comes from.
        var source: Int?
        var place: Place
        var content: Content
    }

    /// The path of a file of the result.
    enum Place: Equatable {
        /// The source's.
        case same
        /// The source's, but for the bytes from `offset` on, which become `token`, of the same length; the hash map has
        /// both.
        case renamed(offset: Int, token: String)
        case literal(TreePath)
    }

    /// Where the bytes of a file come from; sizes in bytes.
    enum Content: Equatable {
        /// The source's.
        case copied
        /// The source's, its hash tokens replaced.
        case mapped
        /// A frame of its own, of `length` bytes, its prefix the source with its hash tokens replaced.
        case framed(size: Int, length: Int)
        /// The next so many bytes of what the common frame holds.
        case common(size: Int)
    }

    var hasCommon: Bool {
        entries.contains { entry in
            if case .common = entry.content { true } else { false }
        }
    }

    /// Bytes of the common frame's content.
    var commonSize: Int {
        entries.reduce(0) { sum, entry in
            if case .common(let size) = entry.content { sum + size } else { sum }
        }
    }
}
