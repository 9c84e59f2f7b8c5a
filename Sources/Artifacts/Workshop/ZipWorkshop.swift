import CDeflate
package import Domain

/// A reader of untrusted zips by libarchive, and a writer of zips (semantics.md §11).
///
/// Stateless: any number of threads may use it, each with its own staging.
package struct ZipWorkshop: PackageWorkshop {
    package init() {}

    package func unpack(
        zipAt path: String, limits: PackageLimits, into staging: any BlobStaging
    ) throws(PlatformError) -> Tree {
        let reader = try ZipReader(path: path, limits: limits)
        var files: [(path: TreePath, digest: SHA256Digest)] = []
        var contents: [SHA256Digest: FileContent] = [:]
        try reader.forEachFile { path, record, pieces throws(PlatformError) in
            var blob = try HashingBlob(in: staging)
            try pieces { piece throws(PlatformError) in try blob.write(piece) }
            let (digest, size) = try blob.finish()
            files.append((path, digest))
            contents[digest] = FileContent(digest: digest, size: size, crc32: record.crc32, deflated: nil)
        }
        let deflated = try DeflateStage(staging: staging).deflate(Array(contents.values))
        return Tree(files.compactMap { file in deflated[file.digest].map { TreeFile(path: file.path, content: $0) } })
    }

    package func stage(_ bytes: [UInt8], into staging: any BlobStaging) throws(PlatformError) -> FileContent {
        var blob = try HashingBlob(in: staging)
        try bytes.withUnsafeBufferPointer { (buffer) throws(PlatformError) in
            try blob.write(UnsafeRawBufferPointer(buffer))
        }
        let (digest, size) = try blob.finish()
        let content = FileContent(
            digest: digest, size: size, crc32: libdeflate_crc32(0, bytes, bytes.count), deflated: nil)
        return try DeflateStage(staging: staging).deflate([content])[digest] ?? content
    }

    package func buildZip(_ files: [TreeFile], into staging: any BlobStaging) throws(PlatformError) -> BuiltArchive {
        var writer = ZipWriter(to: try StagedArchive(in: staging))
        for file in Tree(files).files {
            let content = file.content
            let stream = content.deflated ?? DeflatedStream(digest: content.digest, size: content.size)
            let entry = ZipHeaders.Entry(
                path: file.path, crc32: content.crc32, size: content.size, packedSize: stream.size,
                method: content.deflated == nil ? .stored : .deflated)
            try writer.add(entry) { write throws(PlatformError) in
                let blob = try Self.open(stream.digest, size: stream.size, in: staging)
                try PositionedFile.forEachPiece(of: blob.descriptor, upTo: stream.size, write)
            }
        }
        return try writer.finish().finish()
    }

    package func read(
        _ content: FileContent, from staging: any BlobStaging, upTo limit: Int
    ) throws(PlatformError) -> [UInt8] {
        guard content.size <= limit else { throw ZipRefusal.fileTooLarge(limit: limit).error() }
        return try beginning(of: content, from: staging, upTo: limit)
    }

    package func beginning(
        of content: FileContent, from staging: any BlobStaging, upTo limit: Int
    ) throws(PlatformError) -> [UInt8] {
        let count = min(limit, content.size)
        let blob = try Self.open(content.digest, size: content.size, in: staging)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        try PositionedFile.forEachPiece(of: blob.descriptor, upTo: count) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Opens a blob, which has to exist with this size.
    static func open(
        _ digest: SHA256Digest, size: Int, in staging: any BlobStaging
    ) throws(PlatformError) -> OpenBlob {
        guard let blob = try staging.open(digest), blob.size == size else {
            throw PlatformError(
                .storageFailed, "A stored file is missing, or its size has changed.", cause: "blob \(digest)")
        }
        return blob
    }
}
