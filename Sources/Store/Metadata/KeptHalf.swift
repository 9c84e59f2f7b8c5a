import Domain

/// A private key as the database stores it: plain or encrypted.
struct KeptHalf: KeptSecret {
    let app: AppID
    let purpose: KeyPurpose
    let id: KeyID
    /// The stored bytes; `nil` without a private key.
    let bytes: [UInt8]?
    let isSealed: Bool

    init(app: AppID, purpose: KeyPurpose, id: KeyID, bytes: [UInt8]?, isSealed: Bool) {
        self.app = app
        self.purpose = purpose
        self.id = id
        self.bytes = bytes
        self.isSealed = isSealed
    }

    /// Creates the stored form of a key, encrypted if there is a sealer.
    init(_ key: AppKey, by sealer: (any KeySealer)?) throws(PlatformError) {
        let plain = KeptHalf(app: key.app, purpose: key.purpose, id: key.id, bytes: key.privateKey, isSealed: false)
        self = try sealer.map { (sealer) throws(PlatformError) in try plain.sealed(by: sealer) } ?? plain
    }

    /// The label that encryption authenticates, so that one key cannot replace another.
    private var label: [UInt8] { Array("larder-private-key-1\n\(app)\n\(purpose.rawValue)\n\(id)\n".utf8) }

    /// Returns the encrypted form of a plain key.
    func sealed(by sealer: any KeySealer) throws(PlatformError) -> KeptHalf {
        guard let bytes else { return self }
        let sealed = try sealer.seal(bytes, for: label)
        return KeptHalf(app: app, purpose: purpose, id: id, bytes: sealed, isSealed: true)
    }

    /// Returns the plain private key, or `nil` if there is none.
    ///
    /// Throws `storageFailed` if it cannot be decrypted, which the start has checked.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> [UInt8]? {
        guard isSealed, let bytes else { return bytes }
        guard let plain = sealer?.open(bytes, for: label) else {
            throw PlatformError(
                .storageFailed, "The private half of the key \(id) of '\(app)' cannot be decrypted. Restart the server."
            )
        }
        return plain
    }
}
