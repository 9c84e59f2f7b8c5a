import COpenSSL
package import Domain

extension OpenSSLCryptography {
    package func scrypt(
        _ password: [UInt8], salt: [UInt8], _ cost: ScryptCost, count: Int
    ) throws(PlatformError) -> [UInt8] {
        var result: Int32 = 0
        let hash = password.withUnsafeBytes { password in
            [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                result = EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count,
                    1 << UInt64(cost.logN), UInt64(cost.r), UInt64(cost.p), UInt64(ScryptCost.maximumMemory),
                    buffer.baseAddress, count)
                initialized = result == 1 ? count : 0
            }
        }
        try OpenSSLFailure.check(result, doing: "hashing a password")
        return hash
    }

    package func hmacSHA1(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, initialized in
            var length: UInt32 = 0
            let result = HMAC(
                EVP_sha1(), key, Int32(key.count), message, message.count, buffer.baseAddress, &length)
            precondition(result != nil, "OpenSSL failed to compute an HMAC")
            initialized = Int(length)
        }
    }
}
