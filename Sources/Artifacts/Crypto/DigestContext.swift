import COpenSSL

/// An incremental OpenSSL digest, freed at the end of its owner's life.
struct DigestContext: ~Copyable {
    private let context: OpaquePointer

    /// Returns `nil` if OpenSSL is configured without the algorithm (MD5 in a FIPS provider) or out of memory.
    init?(_ algorithm: OpaquePointer?) {
        guard let algorithm, let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, algorithm, nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes; cannot fail for a context that is initialised and unfinished, which the enclosing types ensure.
    func update(_ bytes: UnsafeRawBufferPointer) {
        let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(result == 1, "OpenSSL failed to digest")
    }

    consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            let result = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            precondition(result == 1, "OpenSSL failed to finish a digest")
            count = Int(length)
        }
    }
}
