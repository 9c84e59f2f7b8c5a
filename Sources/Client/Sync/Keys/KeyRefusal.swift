import Domain
package import Ground

/// The reason why the server's keys are rejected.
package enum KeyRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    case malformed(String)
    /// - Parameters:
    ///   - isPinned: Whether the expected fingerprint comes from the command line instead of an earlier sync.
    case otherRoot(expected: String, shown: String, isPinned: Bool)
    /// The server shows the pinned root key, which has since been replaced by another one.
    case formerRoot(shown: String, trusted: String)
    case badSignature
    case expired(at: Timestamp)
    /// The document is older than one that the client has accepted.
    case olderThanSeen(number: Int64, seen: Int64)
    case otherApp(expected: String, shown: String)

    package var description: String {
        switch self {
        case .malformed(let what): "The server's keys.json is invalid: \(what)."
        case .otherRoot(let expected, let shown, true):
            "The server's root key is \(shown). It is not \(expected), as --root-key requires, nor a successor that this key "
                + "has signed. Nothing was installed."
        case .otherRoot(let expected, let shown, false):
            "The server's root key is now \(shown). This folder trusts \(expected), which has not signed it as its "
                + "successor. If the change is intended, accept it with --root-key \(shown). Nothing was installed."
        case .formerRoot(let shown, let trusted):
            "The server's root key is \(shown), which has itself signed \(trusted) as its successor: an attacker may be "
                + "sending old keys. If the server was restored from an old backup, sync into an empty folder. Nothing was "
                + "installed."
        case .badSignature: "The server's keys.json is not signed by its root key. Nothing was installed."
        case .expired(let time): "The server's keys.json expired at \(time): a mirror may be out of date."
        case .olderThanSeen(let number, let seen):
            "The server's keys.json has number \(number), older than \(seen), which was seen before: an attacker may be "
                + "sending old keys."
        case .otherApp(let expected, let shown):
            "The server's keys are those of the app '\(shown)', but this folder contains packages of '\(expected)'. Use a "
                + "separate folder for each app."
        }
    }
}
