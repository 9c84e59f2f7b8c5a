package import Ground

/// The role of a token; each role includes the ones before it.
package enum Role: String, Sendable, CaseIterable, Comparable {
    /// A role that may publish and read.
    case publisher
    /// A role that may also release.
    case releaser
    /// A role that may also manage keys, tokens and apps.
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

/// An operator's token without its secret, which is shown once and stored as a hash.
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
