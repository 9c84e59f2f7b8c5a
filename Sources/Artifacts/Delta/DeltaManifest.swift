import Domain

/// The instructions of a delta patch for each file: the table of docs/formats/delta.md.
///
/// Files of the base are numbered from 0, sorted by the UTF-8 bytes of their paths.
struct DeltaManifest: Equatable {
    /// Runs of the base's files from number 0 on, which are kept under their own path or not.
    ///
    /// Files after the last run are not kept.
    var runs: [Run] = []
    /// The files of the base that form the prefix of the common frame, in order, with their hash tokens replaced.
    var prefix: [ClosedRange<Int>] = []
    /// The files of the result that are not kept from the base.
    var entries: [Entry] = []

    struct Run: Equatable {
        var isKept: Bool
        /// The number of files, at least one.
        var count: Int
    }

    struct Entry: Equatable {
        /// The number of the source, a file of the base.
        var source: Int?
        var destination: Destination
        var content: Content
    }

    /// The path of a file of the result.
    enum Destination: Equatable {
        /// The source's path.
        case same
        /// The source's path, in which `token` replaces the bytes of the same length at `offset`; the hash map contains
        /// both.
        case renamed(offset: Int, token: String)
        case literal(TreePath)
    }

    /// The origin of a file's bytes; sizes are in bytes.
    enum Content: Equatable {
        /// The source's bytes.
        case copied
        /// The source's bytes with the hash tokens replaced.
        case mapped
        /// The content of a separate frame of `length` bytes, whose prefix is the source with the hash tokens replaced.
        case framed(size: Int, length: Int)
        /// The next `size` bytes of the common frame's content.
        case common(size: Int)
    }

    var hasCommon: Bool {
        entries.contains { entry in
            if case .common = entry.content { true } else { false }
        }
    }

    /// The size in bytes of the common frame's content.
    var commonSize: Int {
        entries.reduce(0) { sum, entry in
            if case .common(let size) = entry.content { sum + size } else { sum }
        }
    }
}
