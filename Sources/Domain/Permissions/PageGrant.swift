/// The name of a grant: `[a-z0-9][a-z0-9-]{0,62}`.
package struct GrantName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// What the name may consist of, as a message says it after a colon.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails where the text does not have the shape.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: GrantName, right: GrantName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// Which native APIs pages outside packages may use: those of an origin, under a path, until an instant.
package struct PageGrant: Sendable, Equatable {
    package let name: GrantName
    package let origin: PageOrigin
    /// With all that it leads to by whole parts.
    package let path: PagePath
    /// Sorted, each once; one at least.
    package let apis: [String]
    package let expiresAt: Timestamp

    /// Grants of an app at most, expired ones included.
    package static let maximumCount = 1000
    package static let maximumAPIs = PagePermissions.maximumAPIs

    /// - Parameter path: As ``PagePath/prefix()`` gives it.
    package init(name: GrantName, origin: PageOrigin, path: PagePath, apis: [String], expiresAt: Timestamp) {
        self.name = name
        self.origin = origin
        self.path = path
        self.apis = Array(Set(apis)).sorted()
        self.expiresAt = expiresAt
    }

    /// Whether a page may use what this names; a grant whose last second has begun is over.
    func covers(_ page: PageURL, at now: Timestamp) -> Bool {
        origin == page.origin && path.leads(to: page.path) && expiresAt.seconds > now.seconds
    }
}

extension Timestamp {
    /// Whole Unix seconds, rounded down.
    var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }
}
