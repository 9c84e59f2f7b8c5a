/// A file of a tree, with all that is needed to add it to an archive without reading it again.
package struct TreeFile: Sendable, Equatable {
    package let path: TreePath
    package let content: FileContent

    package init(path: TreePath, content: FileContent) {
        self.path = path
        self.content = content
    }
}

/// The bytes of a file, by digest, and their deflated stream for zips.
package struct FileContent: Sendable, Equatable {
    package let digest: SHA256Digest
    package let size: Int
    package let crc32: UInt32
    /// The deflated stream; `nil` if deflating does not make the file smaller and archives store it.
    package let deflated: DeflatedStream?

    package init(digest: SHA256Digest, size: Int, crc32: UInt32, deflated: DeflatedStream?) {
        self.digest = digest
        self.size = size
        self.crc32 = crc32
        self.deflated = deflated
    }
}

/// A raw deflate stream (RFC 1951), stored as a blob of its own.
package struct DeflatedStream: Sendable, Equatable {
    package let digest: SHA256Digest
    package let size: Int

    package init(digest: SHA256Digest, size: Int) {
        self.digest = digest
        self.size = size
    }
}
