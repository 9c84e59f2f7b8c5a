import Domain

extension [AppKey] {
    /// The signing keys whose private halves are on the server.
    var signingHere: [AppKey] { filter { $0.purpose == .signing && $0.privateKey != nil } }
}

extension AppKey {
    /// Returns an Ed25519 signature by a key of ``Swift/Array/signingHere``; blocks its thread.
    func signature(
        over message: [UInt8], by cryptography: any Cryptography
    ) throws(PlatformError) -> Signature {
        guard let privateKey else {
            throw PlatformError(.signingFailed, "The private half of the key \(id) is not on the server.")
        }
        return Signature(
            purpose: .signing, keyID: id, value: try cryptography.signEd25519(message, privateKey: privateKey))
    }
}
