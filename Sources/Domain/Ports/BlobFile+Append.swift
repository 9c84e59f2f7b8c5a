extension BlobFile {
    /// Appends bytes to the file.
    package func append(_ bytes: [UInt8]) throws(PlatformError) {
        var failure: PlatformError?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(PlatformError) { unsafe try write(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
