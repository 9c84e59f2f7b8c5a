/// A reader of uploaded zips and builder of archives.
///
/// Every call blocks and belongs on a work executor.
package protocol PackageWorkshop: Sendable {
    /// Reads an uploaded zip within limits, and stages every file with its deflated stream.
    ///
    /// Omits directory entries, `__MACOSX` and `.DS_Store`; keeps a single top folder, since unwrapping is the caller's
    /// rule. Throws `badPackage` with the entry and the reason.
    func unpack(
        zipAt path: String, limits: PackageLimits, into staging: any BlobStaging
    )
        throws(PlatformError) -> Tree
    /// Stages bytes as a file of a tree, with their deflated stream.
    func stage(_ bytes: [UInt8], into staging: any BlobStaging) throws(PlatformError) -> FileContent
    /// Builds and stages a zip of files from their stored streams; equal files give equal bytes.
    func buildZip(_ files: [TreeFile], into staging: any BlobStaging) throws(PlatformError) -> BuiltArchive
    /// Builds, verifies and stages the delta patch from one layout tree to another, whose blobs are stored.
    ///
    /// Returns `nil` if the patch would exceed the limits of clients or the time limit. Equal trees and efforts give
    /// equal bytes.
    func buildDelta(
        from base: Tree, to target: Tree, effort: DeltaEffort, timeLimit: Duration?, into staging: any BlobStaging
    ) throws(PlatformError) -> BuiltArchive?
    /// Reads a whole small blob.
    func read(_ content: FileContent, from staging: any BlobStaging, upTo limit: Int) throws(PlatformError) -> [UInt8]
    /// Reads the first bytes of a blob, up to the limit.
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

/// The limits on an uploaded package.
package struct PackageLimits: Sendable, Equatable {
    /// The bytes of the zip itself.
    package var uploadBytes: Int
    /// The number of files.
    package var fileCount: Int
    /// The unpacked bytes of one file.
    package var fileBytes: Int
    /// The unpacked bytes of all files.
    package var totalBytes: Int
    /// The unpacked bytes per packed byte of one file; files up to ``ratioFloor`` may exceed it.
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
