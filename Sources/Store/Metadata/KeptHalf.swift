import Domain

/// A private half as the database keeps it: as it is, or sealed.
struct KeptHalf {
    let app: AppID
    let purpose: KeyPurpose
    let id: KeyID
    /// `nil` where there is none.
    let bytes: [UInt8]?
    let isSealed: Bool

    init(app: AppID, purpose: KeyPurpose, id: KeyID, bytes: [UInt8]?, isSealed: Bool) {
        self.app = app
        self.purpose = purpose
        self.id = id
        self.bytes = bytes
        self.isSealed = isSealed
    }

    /// That of a key, sealed where there is what seals.
    init(_ key: AppKey, by sealer: (any KeySealer)?) throws(PlatformError) {
        let plain = KeptHalf(app: key.app, purpose: key.purpose, id: key.id, bytes: key.privateKey, isSealed: false)
        self = try sealer.map { (sealer) throws(PlatformError) in try plain.sealed(by: sealer) } ?? plain
    }

    /// What it is sealed for, so that none can be put in the place of another.
    private var label: [UInt8] { Array("larder-private-key-1\n\(app)\n\(purpose.rawValue)\n\(id)\n".utf8) }

    /// The same, sealed; for one that is not.
    func sealed(by sealer: any KeySealer) throws(PlatformError) -> KeptHalf {
        guard let bytes else { return self }
        let sealed = try sealer.seal(bytes, for: label)
        return KeptHalf(app: app, purpose: purpose, id: id, bytes: sealed, isSealed: true)
    }

    /// The half itself; `nil` where there is none.
    ///
    /// Throws `storageFailed` where it cannot be opened, which the start has looked at.
    func opened(by sealer: (any KeySealer)?) throws(PlatformError) -> [UInt8]? {
        guard isSealed, let bytes else { return bytes }
        guard let plain = sealer?.open(bytes, for: label) else {
            throw PlatformError(
                .storageFailed, "The private half of the key \(id) of '\(app)' cannot be opened: restart the server.")
        }
        return plain
    }
}
