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
            "The server's /config is not signed, so an attacker on the network may have changed it. Nothing was installed. "
                + "If the server cannot sign it, because it is older or all of the app's signing keys are outside, accept "
                + "that with --accept-unsigned."
        case .malformed(let what): "The signature of the server's /config is invalid: \(what). Nothing was installed."
        case .unknownKey(let ids):
            "The server's /config is signed by \(ids.joined(separator: ", ")), which its keys.json does not contain: an "
                + "attacker on the network may have changed one of them. Nothing was installed."
        case .otherBody, .badSignature:
            "The server's /config does not match its signature: it was changed on the way. Nothing was installed."
        case .otherBase(let expected, let shown):
            "The server's /config is that of \(shown), not of \(expected): a mirror confuses them. Nothing was installed."
        case .notYet(let time, let now):
            "The server's /config was signed at \(time), but this machine's clock shows \(now). Set the clock. Nothing was "
                + "installed."
        case .expired(let time, let now):
            "The signature of the server's /config expired at \(time), and this machine's clock shows \(now): a mirror is "
                + "out of date, an attacker sends an old response, or the clock is ahead. Nothing was installed."
        case .olderThanSeen(let version, let seen):
            "The server's /config has version \(version), older than \(seen), which was seen before: a mirror is out of "
                + "date, or an attacker sends an old response. Nothing was installed."
        }
    }
}
