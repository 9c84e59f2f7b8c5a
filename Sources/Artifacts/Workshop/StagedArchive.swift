import Domain

/// An archive being written, staged as a blob.
struct StagedArchive: ZipSink, ~Copyable {
    private var blob: HashingBlob
    private var md5: MD5Hasher

    init(in staging: any BlobStaging) throws(PlatformError) {
        let md5 = try MD5Hasher()
        blob = try HashingBlob(in: staging)
        self.md5 = md5
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        md5.update(bytes)
        try blob.write(bytes)
    }

    consuming func finish() throws(PlatformError) -> BuiltArchive {
        let (digest, size) = try blob.finish()
        return BuiltArchive(digest: digest, size: size, md5: md5.finish(), recipe: ZipHeaders.recipe)
    }
}
