package import Ground

/// The name of a sign-in provider: `[a-z0-9][a-z0-9-]{0,62}`.
package struct SignInProviderName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of the names in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: SignInProviderName, right: SignInProviderName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// The secret by which the server proves to a provider which client it is; printing does not show it.
package struct ClientSecret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The limit on the bytes of a secret.
    package static let maximumLength = 1_000
    package static let shape = "a text of 1 to \(maximumLength) visible ASCII characters"

    package let text: String

    /// Fails for a text of another shape.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    package var description: String { "a client secret" }
    package var debugDescription: String { description }
}

/// The grants of the people in a group of a provider.
package struct GroupGrants: Sendable, Equatable {
    /// The limit on the bytes of a group's name.
    package static let maximumLength = 200

    package let group: String
    package let grants: [Grant]

    /// Fails for an empty or too long name, and without grants.
    package init?(group: String, grants: [Grant]) {
        guard (1...Self.maximumLength).contains(group.utf8.count), (1...User.maximumGrants).contains(grants.count)
        else { return nil }
        self.group = group
        self.grants = grants
    }

    package var json: JSON {
        .object(["group": .string(group), "grants": .array(grants.map { .object($0.members) })])
    }
}

/// A provider of OpenID Connect by which people sign in (decision 0087).
package struct SignInProvider: Sendable, Equatable {
    package let name: SignInProviderName
    /// The issuer, exactly as its tokens state it.
    package let issuer: String
    /// The name that the sign-in page shows.
    package let label: String
    package let clientID: String
    package let scopes: [String]
    /// The claim that becomes the name of a new user.
    package let userClaim: String
    /// The claim with the groups of a person.
    package let groupsClaim: String
    /// The grants of each group; at least one group.
    package let groups: [GroupGrants]

    /// The limit on the providers of an installation.
    package static let maximumCount = 20
    /// The limit on the bytes of a label, a client id, a scope, and the name of a claim.
    package static let maximumTextLength = 200
    package static let maximumScopes = 20
    package static let maximumGroups = 100
    /// The limit on the grants of all groups together.
    package static let maximumGrants = 500
    package static let standardScopes = ["openid", "profile", "email", "groups"]
    /// The scope without which a provider issues no ID token.
    package static let requiredScope = "openid"
    package static let standardUserClaim = "preferred_username"
    /// The claim that names a user if the token lacks that of the provider.
    package static let fallbackUserClaim = "email"
    package static let standardGroupsClaim = "groups"

    package init(
        name: SignInProviderName, issuer: String, label: String, clientID: String, scopes: [String], userClaim: String,
        groupsClaim: String, groups: [GroupGrants]
    ) {
        self.name = name
        self.issuer = issuer
        self.label = label
        self.clientID = clientID
        self.scopes = scopes
        self.userClaim = userClaim
        self.groupsClaim = groupsClaim
        self.groups = groups
    }

    /// Returns the grants of a person in these groups, each once, in the order of the provider.
    package func grants(of own: [String]) -> [Grant] {
        let own = Set(own)
        var grants: [Grant] = []
        for grant in groups.filter({ own.contains($0.group) }).flatMap(\.grants) where !grants.contains(grant) {
            grants.append(grant)
        }
        return grants
    }

    /// Returns the name of a new user with these claims, in lower case.
    ///
    /// Throws `refused` if the claims have no name, or one that is no user name.
    package func userName(in claims: IdentityClaims) throws(IdentityTokenFault) -> UserName {
        let names = [userClaim, Self.fallbackUserClaim]
        guard let claim = names.first(where: { claims.text(of: $0) != nil }), let text = claims.text(of: claim) else {
            throw .refused(
                "it has no claim '\(userClaim)' and no claim '\(Self.fallbackUserClaim)' to name the user by")
        }
        guard let name = UserName(String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)) else {
            throw .refused(
                "its claim '\(claim)' is '\(ShownText.of(text.utf8))', and the name of a user has \(UserName.shape)")
        }
        return name
    }

    /// The members of the provider besides its name; never the client secret.
    package var members: [JSON.Member] {
        [
            .init("issuer", .string(issuer)), .init("label", .string(label)), .init("clientId", .string(clientID)),
            .init("scopes", .array(scopes.map { .string($0) })), .init("userClaim", .string(userClaim)),
            .init("groupsClaim", .string(groupsClaim)), .init("groups", .array(groups.map(\.json))),
        ]
    }
}

/// A provider as it is stored, with its secret.
package struct StoredSignInProvider: Sendable, Equatable {
    package let provider: SignInProvider
    package let secret: ClientSecret
    /// The number of changes, beginning with 1.
    package let revision: Int64

    package init(provider: SignInProvider, secret: ClientSecret, revision: Int64) {
        self.provider = provider
        self.secret = secret
        self.revision = revision
    }
}

/// A person whom a provider has identified.
package struct IdentifiedPerson: Sendable, Equatable {
    /// The person's id at the provider, which stays.
    package let subject: String
    /// The name of the user if the person signs in for the first time.
    package let name: UserName
    package let grants: [Grant]

    /// The limit on the bytes of a subject (OpenID Connect Core §2).
    package static let maximumSubjectLength = 255

    package init(subject: String, name: UserName, grants: [Grant]) {
        self.subject = subject
        self.name = name
        self.grants = grants
    }
}

/// The user of a person who signs in by a provider, within the transaction that begins the session.
package struct ProvidedUser: Sendable {
    package let user: User
    /// The grants before this sign-in; `nil` for a new user.
    package let formerGrants: [Grant]?

    package init(user: User, formerGrants: [Grant]?) {
        self.user = user
        self.formerGrants = formerGrants
    }
}
