import COpenSSL
import Domain

/// An OpenSSL key, freed at the end of its owner's life.
struct KeyHandle: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a key that OpenSSL made; returns `nil` without one.
    init?(owning pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Runs one operation of the key in a context of its own.
    borrowing func withContext<Result>(
        _ body: (OpaquePointer) throws(PlatformError) -> Result
    ) throws(PlatformError) -> Result {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw OpenSSLFailure.error(doing: "preparing a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        return try body(context)
    }

    /// Generates a key.
    ///
    /// - Parameter configure: Sets the parameters of the algorithm.
    static func generate(
        _ algorithm: String, configure: (OpaquePointer) -> Int32 = { _ in 1 }
    ) throws(PlatformError) -> KeyHandle {
        var made: OpaquePointer?
        // The context may keep the name.
        let isMade = algorithm.withCString { name in
            guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { return false }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_keygen_init(context) == 1, configure(context) == 1 else { return false }
            return EVP_PKEY_generate(context, &made) == 1
        }
        guard isMade, let key = KeyHandle(owning: made) else {
            throw OpenSSLFailure.error(doing: "making an \(algorithm) key")
        }
        return key
    }
}
