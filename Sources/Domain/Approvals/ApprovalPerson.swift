/// The person behind a request: a user and all tokens that the user owns are one person.
package enum ApprovalPerson: Sendable, Hashable {
    case user(UserID)
    /// A token that belongs to no user, and all tokens that it has made.
    case token(Int64)
    /// The jobs of a CI trust, which can get any number of tokens.
    case trust(String)
}

/// The creator of a token, from the name that the token records.
package enum TokenCreator: Sendable, Equatable {
    case user(UserID)
    case token(Int64)
    case trust(String)
    /// The server, or an earlier version of it that recorded none.
    case unrecorded

    private static let trustPrefix = "CI trust "

    /// Reads the name of an operator, whose last part the server has written: `ann (user #3)`, `deploy (#5)`.
    package init(_ owner: String?) {
        guard let owner else {
            self = .unrecorded
            return
        }
        let tail = owner.split(separator: " (", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        if tail.hasSuffix(")"), owner.contains(" (") {
            let inner = tail.dropLast()
            if inner.hasPrefix("user #"), let id = Int64(inner.dropFirst("user #".count)) {
                self = .user(UserID(id))
                return
            }
            if inner.hasPrefix("#"), let id = Int64(inner.dropFirst()) {
                self = .token(id)
                return
            }
        }
        self = owner.hasPrefix(Self.trustPrefix) ? .trust(String(owner.dropFirst(Self.trustPrefix.count))) : .unrecorded
    }
}
