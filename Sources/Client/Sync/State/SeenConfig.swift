import Domain
import Ground

/// The newest signed config for one `Larder-Base` that a device has accepted.
struct SeenConfig: Sendable, Equatable {
    let base: String
    let version: Int64
    /// The key that signed it; the record is void once the key is retired.
    let keyID: KeyID
}

extension SeenConfig {
    /// Parses the output of ``json``; fails for anything else.
    init?(_ json: JSON) {
        guard let base = json["base"]?.string, let version = json["version"]?.integer,
            let keyID = json["keyId"]?.string.flatMap({ KeyID($0) })
        else { return nil }
        self.init(base: base, version: version, keyID: keyID)
    }

    /// The JSON that the state file stores; the order of the records is the order of acceptance.
    var json: JSON {
        .object(["base": .string(base), "version": .integer(version), "keyId": .string(keyID.text)])
    }
}
