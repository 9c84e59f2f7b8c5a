import Domain

/// The newest config signed for one `Larder-Base` that a device has taken.
struct SeenConfig: Sendable, Equatable {
    let base: String
    let version: Int64
    /// Whose word it is; that of a key which has left counts no more.
    let keyID: KeyID
}

extension SeenConfig {
    /// Reads what ``json`` writes; `nil` for anything else.
    init?(_ json: JSON) {
        guard let base = json["base"]?.string, let version = json["version"]?.integer,
            let keyID = json["keyId"]?.string.flatMap({ KeyID($0) })
        else { return nil }
        self.init(base: base, version: version, keyID: keyID)
    }

    /// What a folder remembers; the order among others tells which came last.
    var json: JSON {
        .object(["base": .string(base), "version": .integer(version), "keyId": .string(keyID.text)])
    }
}
