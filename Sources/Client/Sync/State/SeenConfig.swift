import Domain

/// The newest config signed for one `Larder-Base` that a device has taken.
struct SeenConfig: Sendable, Equatable {
    let base: String
    let version: Int64
    /// Whose word it is; that of a key which has left counts no more.
    let keyID: KeyID
}

extension SeenConfig {
    /// Reads what ``member`` writes; `nil` for anything else.
    init?(_ member: JSON.Member) {
        guard let version = member.value["version"]?.integer,
            let keyID = member.value["keyId"]?.string.flatMap({ KeyID($0) })
        else { return nil }
        self.init(base: member.key, version: version, keyID: keyID)
    }

    /// What a folder remembers, by the base.
    var member: JSON.Member {
        JSON.Member(base, .object(["version": .integer(version), "keyId": .string(keyID.text)]))
    }
}
