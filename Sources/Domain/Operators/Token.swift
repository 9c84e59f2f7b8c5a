package import Ground

/// A role of operators; each role includes the ones before it.
package enum Role: String, Sendable, CaseIterable, Comparable {
    /// A role that may read.
    case viewer
    /// A role that may also publish.
    case publisher
    /// A role that may also release.
    case releaser
    /// A role that may also manage keys, tokens and apps.
    case admin

    package static func < (left: Role, right: Role) -> Bool { left.level < right.level }

    private var level: Int {
        switch self {
        case .viewer: 0
        case .publisher: 1
        case .releaser: 2
        case .admin: 3
        }
    }
}

/// An operator's token without its secret, which is shown once and stored as a hash.
package struct Token: Sendable, Equatable {
    package let id: Int64
    package let name: String
    package let grant: Grant
    /// The name of the operator who created the token; `nil` if an earlier version of the server created it.
    package let owner: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp?
    /// The time of the latest known use, which may be some minutes late.
    package let lastUsedAt: Timestamp?
    package let revokedAt: Timestamp?
    /// The end of the secret before the current one; `nil` if there is none.
    package let previousSecretExpiresAt: Timestamp?
    /// The number of changes to the token by operators, beginning with 1.
    package let revision: Int64

    package init(
        id: Int64, name: String, role: Role, on scope: Scope = .everything, owner: String? = nil, createdAt: Timestamp,
        expiresAt: Timestamp? = nil, lastUsedAt: Timestamp? = nil, revokedAt: Timestamp?,
        previousSecretExpiresAt: Timestamp? = nil, revision: Int64 = 1
    ) {
        self.id = id
        self.name = name
        grant = Grant(role, on: scope)
        self.owner = owner
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.revokedAt = revokedAt
        self.previousSecretExpiresAt = previousSecretExpiresAt
        self.revision = revision
    }

    package var role: Role { grant.role }

    /// Returns whether the token is neither revoked nor expired.
    package func isValid(at now: Timestamp) -> Bool { revokedAt == nil && expiresAt.map { $0 > now } ?? true }

    package static let maximumNameLength = 100
    /// The seconds for which a former secret may stay valid after a rotation.
    package static let overlapSeconds: ClosedRange<Int64> = 0...604_800
    package static let standardOverlapSeconds: Int64 = 86_400
    /// The milliseconds within which further uses of a token are not stored.
    package static let useInterval: Int64 = 60_000
}

/// A token as it is created.
package struct TokenDraft: Sendable {
    package let name: String
    package let grant: Grant
    package let owner: String
    package let expiresAt: Timestamp?

    package init(name: String, grant: Grant, owner: String, expiresAt: Timestamp?) {
        self.name = name
        self.grant = grant
        self.owner = owner
        self.expiresAt = expiresAt
    }
}

/// A token that was found by one of its secrets.
package struct FoundToken: Sendable, Equatable {
    package let token: Token
    /// The end of the secret, if it is the one before the current one.
    package let secretEnd: Timestamp?

    package init(token: Token, secretEnd: Timestamp?) {
        self.token = token
        self.secretEnd = secretEnd
    }

    /// The first instant at which the secret is no longer valid; `nil` if there is none.
    package var end: Timestamp? {
        switch (token.expiresAt, secretEnd) {
        case (let expiry?, let end?): min(expiry, end)
        case (let expiry, let end): expiry ?? end
        }
    }
}

/// A change to a token by an operator; `nil` keeps a value.
package struct TokenChange: Sendable {
    package var name: String?
    package var expiresAt: Timestamp??
    /// The hash of a new secret, and the time until which the current one stays valid.
    package var secret: (hash: SHA256Digest, previousUntil: Timestamp)?

    package init(
        name: String? = nil, expiresAt: Timestamp?? = nil, secret: (hash: SHA256Digest, previousUntil: Timestamp)? = nil
    ) {
        self.name = name
        self.expiresAt = expiresAt
        self.secret = secret
    }
}
