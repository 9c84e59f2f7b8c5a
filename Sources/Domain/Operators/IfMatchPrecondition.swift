package import Ground

/// The required state of an object before a change, from `If-Match` (RFC 9110 §13.1.1).
package enum IfMatchPrecondition: Sendable, Equatable {
    /// The object must exist, in any state (`*`).
    case present
    /// The object must have one of these entity tags: opaque parts of strong tags, without quotes.
    case tags(Set<String>)

    /// Throws `preconditionFailed` unless the object is in the required state.
    ///
    /// - Parameters:
    ///   - tag: The current tag of the object, without quotes; `nil` if there is no such object.
    ///   - subject: The object in words, such as "Release 3".
    ///   - noun: The name of the tag for the caller: `revision` for objects that count their changes.
    package func require(
        _ tag: String?, of subject: String, called noun: String = "tag"
    ) throws(PlatformError) {
        guard let tag else {
            throw PlatformError(
                .preconditionFailed, "\(subject) does not exist, but 'If-Match' requires that it does.")
        }
        guard case .tags(let tags) = self, !tags.contains(tag) else { return }
        let required = tags.sorted().map { ShownText.of($0.utf8, upTo: 64) }.joined(separator: ", ")
        throw PlatformError(
            .preconditionFailed,
            "\(subject) has changed meanwhile: it has the \(noun) \(tag), and the request requires "
                + "\(required.isEmpty ? "another" : required). Read it again, then repeat the change if it still applies."
        )
    }
}

extension String {
    /// Creates the entity tag of content without a revision: 16 bytes of its SHA-256 in hexadecimal.
    package init(tagOf content: JSON, by cryptography: any Cryptography) {
        self = String(cryptography.sha256(content.bytes()).hex.prefix(32))
    }
}
