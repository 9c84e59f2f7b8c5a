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
        case .malformed(let what): "The server's keys.json cannot be used: \(what)."
        case .otherRoot(let expected, let shown, true):
            "The server's root key is \(shown), not the \(expected) that was demanded, and not one that this has named as the "
                + "next. Nothing was changed."
        case .otherRoot(let expected, let shown, false):
            "The server's root key is now \(shown); this folder trusts \(expected), which has not "
                + "named it as the next. If the change is meant, say so with --root-key \(shown). Nothing was changed."
        case .formerRoot(let shown, let trusted):
            "The server's root key is \(shown), which has itself named \(trusted) as the next: somebody may be showing "
                + "old keys. If the server was restored from an old copy, sync into an empty folder. Nothing was changed."
        case .badSignature: "The server's keys.json is not signed by its root key. Nothing was changed."
        case .expired(let time): "The server's keys.json expired at \(time): a mirror may be out of date."
        case .olderThanSeen(let number, let seen):
            "The server's keys.json has number \(number), older than \(seen), which was seen before: somebody may be "
                + "showing old keys."
        case .otherApp(let expected, let shown):
            "The server's keys are those of the app '\(shown)'; this folder holds packages of '\(expected)'. Use a "
                + "folder for each app."
        }
    }
}
