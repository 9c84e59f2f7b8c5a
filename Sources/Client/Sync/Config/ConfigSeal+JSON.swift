import Domain
import Ground

extension ConfigSeal {
    /// Parses the output of ``json``; fails for anything else.
    init?(_ json: JSON) {
        func time(_ name: String) -> Timestamp? { json[name]?.string.flatMap(Timestamp.init(rfc3339:)) }
        guard let keyID = json["keyId"]?.string.flatMap({ KeyID($0) }), let created = time("created"),
            let expires = time("expires"), let version = json["configVersion"]?.integer,
            let digest = json["sha256"]?.string.flatMap({ SHA256Digest(hex: $0) })
        else { return nil }
        self.init(keyID: keyID, created: created, expires: expires, configVersion: version, digest: digest)
    }

    /// The JSON that the state file stores.
    var json: JSON {
        .object([
            "keyId": .string(keyID.text), "created": .string(created.rfc3339), "expires": .string(expires.rfc3339),
            "configVersion": .integer(configVersion), "sha256": .string(digest.hex),
        ])
    }
}
