import Domain

/// A blob being written, which gets its name from the digest of its bytes.
struct HashingBlob: ~Copyable {
    private let file: any BlobFile
    private var hasher = SHA256Hasher()

    init(in staging: any BlobStaging) throws(PlatformError) { file = try staging.newBlob() }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PlatformError) {
        hasher.update(bytes)
        try file.write(bytes)
    }

    consuming func finish() throws(PlatformError) -> (digest: SHA256Digest, size: Int) {
        let file = file
        let size = file.size
        let digest = hasher.finish()
        try file.finish(as: digest)
        return (digest, size)
    }
}
