/// What a token may do; each role may all that the one before it may.
package enum Role: String, Sendable, CaseIterable, Comparable {
    /// Publish and read.
    case publisher
    /// And release.
    case releaser
    /// And keys, tokens, apps.
    case admin

    package static func < (left: Role, right: Role) -> Bool { left.level < right.level }

    private var level: Int {
        switch self {
        case .publisher: 0
        case .releaser: 1
        case .admin: 2
        }
    }
}

/// An operator's token without its secret, which is shown once and kept as a hash.
package struct Token: Sendable, Equatable {
    package let id: Int64
    package let name: String
    package let role: Role
    package let createdAt: Timestamp
    package let revokedAt: Timestamp?

    package init(id: Int64, name: String, role: Role, createdAt: Timestamp, revokedAt: Timestamp?) {
        self.id = id
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }

    package static let maximumNameLength = 100
}
