import Domain
package import Ground

/// The reason why a `/config` response is rejected.
package enum ConfigRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    case unsigned
    case malformed(String)
    /// The response is signed by keys that `keys.json` does not name.
    case unknownKey([String])
    /// The digest of the body is not the signed one.
    case otherBody
    case badSignature
    /// The response is for another app or channel.
    case otherBase(expected: String, shown: String)
    /// The signature begins in the future.
    case notYet(from: Timestamp, now: Timestamp)
    case expired(at: Timestamp, now: Timestamp)
    /// The response is older than one that the client has accepted.
    case olderThanSeen(version: Int64, seen: Int64)

    package var description: String {
        switch self {
        case .unsigned:
            "The server's /config is not signed, so somebody in between may have changed it. Nothing was changed. If the server "
                + "cannot sign it, because it is of before or all of the app's signing keys are outside, say so with "
                + "--accept-unsigned."
        case .malformed(let what): "The signature of the server's /config cannot be used: \(what). Nothing was changed."
        case .unknownKey(let ids):
            "The server's /config is signed by \(ids.joined(separator: ", ")), no key that its keys.json names: somebody in "
                + "between may have changed one of them. Nothing was changed."
        case .otherBody, .badSignature:
            "The server's /config is not what was signed: somebody in between has changed it. Nothing was changed."
        case .otherBase(let expected, let shown):
            "The server's /config is that of \(shown), not of \(expected): a mirror mixes them up. Nothing was changed."
        case .notYet(let time, let now):
            "The server's /config was signed at \(time), and here it is \(now): set this machine's clock. Nothing was changed."
        case .expired(let time, let now):
            "The signature of the server's /config expired at \(time), and here it is \(now): a mirror is out of date, somebody "
                + "shows an old answer, or this machine's clock is ahead. Nothing was changed."
        case .olderThanSeen(let version, let seen):
            "The server's /config has version \(version), older than \(seen), which was seen before: a mirror is out of date, or "
                + "somebody shows an old answer. Nothing was changed."
        }
    }
}
