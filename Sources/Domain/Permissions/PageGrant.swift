package import Ground

/// The name of a grant: `[a-z0-9][a-z0-9-]{0,62}`.
package struct GrantName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of grant names in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: GrantName, right: GrantName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// A grant of native APIs to pages outside packages: those of an origin, under a path, until an instant.
package struct PageGrant: Sendable, Equatable {
    package let name: GrantName
    package let origin: PageOrigin
    /// The path, which covers itself and all paths below it.
    package let path: PagePath
    /// The sorted, distinct names of the APIs; at least one.
    package let apis: [String]
    package let expiresAt: Timestamp

    /// The limit on the grants of an app, including expired ones.
    package static let maximumCount = 1000
    package static let maximumAPIs = PagePermissions.maximumAPIs

    /// - Parameter path: A path that ``PagePath/prefix()`` returned.
    package init(name: GrantName, origin: PageOrigin, path: PagePath, apis: [String], expiresAt: Timestamp) {
        self.name = name
        self.origin = origin
        self.path = path
        self.apis = Array(Set(apis)).sorted()
        self.expiresAt = expiresAt
    }

    /// Returns whether the grant covers a page; a grant ends when its last second begins.
    func covers(_ page: PageURL, at now: Timestamp) -> Bool {
        origin == page.origin && path.covers(page.path) && expiresAt.seconds > now.seconds
    }
}

extension Timestamp {
    /// The whole Unix seconds, rounded down.
    var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }
}
