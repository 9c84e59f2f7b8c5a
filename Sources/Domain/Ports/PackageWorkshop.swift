/// Reads uploaded zips and builds archives.
///
/// Every call blocks: to be made on a work executor.
package protocol PackageWorkshop: Sendable {
    /// Reads an uploaded zip within limits and stages every file of it, with its deflated stream.
    ///
    /// Directory entries, `__MACOSX` and `.DS_Store` are left out; a single top folder stays as it is: unwrapping is
    /// the caller's rule. Throws `badPackage` with the entry and the reason.
    func unpack(
        zipAt path: String, limits: PackageLimits, into staging: any BlobStaging
    )
        throws(PlatformError) -> Tree
    /// Stages bytes as a file of a tree, with their deflated stream.
    func stage(_ bytes: [UInt8], into staging: any BlobStaging) throws(PlatformError) -> FileContent
    /// Builds a zip of these files out of their stored streams and stages it; the same files give the same bytes.
    func buildZip(_ files: [TreeFile], into staging: any BlobStaging) throws(PlatformError) -> BuiltArchive
    /// Makes the delta patch from one layout tree to another, whose blobs are there, applies it to see that it works,
    /// and stages it; `nil` where it would be more than a client takes, or take longer than the limit. The same trees and
    /// effort give the same bytes.
    func buildDelta(
        from base: Tree, to target: Tree, effort: DeltaEffort, timeLimit: Duration?, into staging: any BlobStaging
    ) throws(PlatformError) -> BuiltArchive?
    /// The whole of a small blob.
    func read(_ content: FileContent, from staging: any BlobStaging, upTo limit: Int) throws(PlatformError) -> [UInt8]
    /// The first bytes of a blob: all of them, or as many as the limit says.
    func beginning(
        of content: FileContent, from staging: any BlobStaging, upTo limit: Int
    ) throws(PlatformError) -> [UInt8]
}

/// A zip that was built and staged.
package struct BuiltArchive: Sendable, Equatable {
    package let digest: SHA256Digest
    package let size: Int
    package let md5: [UInt8]
    package let recipe: Int

    package init(digest: SHA256Digest, size: Int, md5: [UInt8], recipe: Int) {
        self.digest = digest
        self.size = size
        self.md5 = md5
        self.recipe = recipe
    }
}

/// What an uploaded package may be at most.
package struct PackageLimits: Sendable, Equatable {
    /// Bytes of the zip itself.
    package var uploadBytes: Int
    /// Files in it.
    package var fileCount: Int
    /// Bytes of one file, unpacked.
    package var fileBytes: Int
    /// Bytes of all files, unpacked.
    package var totalBytes: Int
    /// Unpacked bytes per packed byte of one file; files up to ``ratioFloor`` may have any.
    package var compressionRatio: Int
    package var ratioFloor: Int

    package init(
        uploadBytes: Int = 1 << 30, fileCount: Int = 20_000, fileBytes: Int = 256 << 20, totalBytes: Int = 1 << 30,
        compressionRatio: Int = 200, ratioFloor: Int = 1 << 20
    ) {
        self.uploadBytes = uploadBytes
        self.fileCount = fileCount
        self.fileBytes = fileBytes
        self.totalBytes = totalBytes
        self.compressionRatio = compressionRatio
        self.ratioFloor = ratioFloor
    }
}
