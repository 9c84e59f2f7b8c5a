package import Ground

/// The name of a CI trust: `[a-z0-9][a-z0-9-]{0,62}`.
package struct CITrustName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String

    /// The grammar of the names in words, for messages.
    package static let shape = IdentifierGrammar.lowercaseName.shape

    /// Fails unless the text matches the grammar.
    package init?(_ text: String) {
        guard IdentifierGrammar.lowercaseName.accepts(text) else { return nil }
        self.text = text
    }

    package static func < (left: CITrustName, right: CITrustName) -> Bool { left.text < right.text }

    package var description: String { text }
}

/// A condition on a claim of an identity token.
package struct ClaimCondition: Sendable, Equatable {
    package let claim: String
    /// The required text, in which `*` stands for any characters.
    package let pattern: String

    /// The limit on the bytes of the claim's name, and of the pattern.
    package static let maximumLength = 200

    /// Fails for an empty or too long name, and for a pattern that is empty, too long, or of asterisks only.
    package init?(claim: String, pattern: String) {
        guard (1...Self.maximumLength).contains(claim.utf8.count),
            (1...Self.maximumLength).contains(pattern.utf8.count),
            pattern.utf8.contains(where: { $0 != ASCII.asterisk })
        else { return nil }
        self.claim = claim
        self.pattern = pattern
    }

    /// Returns whether a text matches the pattern, byte by byte.
    func matches(_ text: String) -> Bool {
        var parts = pattern.utf8.split(separator: ASCII.asterisk, omittingEmptySubsequences: false).map { Array($0) }
        var rest = Array(text.utf8)[...]
        let (first, last) = (parts.removeFirst(), parts.popLast())
        guard rest.starts(with: first) else { return false }
        guard let last else { return rest.count == first.count }
        rest = rest.dropFirst(first.count)
        // Each part at its first position leaves the most bytes for the others.
        for part in parts where !part.isEmpty {
            guard rest.count >= part.count,
                let start = (rest.startIndex...(rest.endIndex - part.count)).first(where: {
                    rest[$0...].starts(with: part)
                })
            else { return false }
            rest = rest[(start + part.count)...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}

/// A rule by which CI jobs get short-lived tokens for the identity tokens of their platform (decision 0085).
package struct CITrust: Sendable, Equatable {
    package let name: CITrustName
    /// The issuer, exactly as its tokens state it.
    package let issuer: String
    package let audience: String
    /// The conditions that must all be met, by claim; at least one.
    package let conditions: [ClaimCondition]
    /// The rights of the tokens; never those of an admin.
    package let grant: Grant
    package let lifetimeSeconds: Int64

    /// The limit on the trusts of an installation.
    package static let maximumCount = 100
    package static let maximumConditions = 20
    /// The limit on the valid tokens of one trust.
    package static let maximumTokens = 1_000
    /// The limit on the bytes of an issuer's URL.
    package static let maximumIssuerLength = 500
    /// The limit on the bytes of an audience.
    package static let maximumAudienceLength = 200
    package static let lifetimes: ClosedRange<Int64> = 60...3_600
    package static let standardLifetimeSeconds: Int64 = 900
    /// The milliseconds for which the tokens of a trust are listed after their expiry.
    package static let memoryMilliseconds: Int64 = 7 * 86_400_000

    package init(
        name: CITrustName, issuer: String, audience: String, conditions: [ClaimCondition], grant: Grant,
        lifetimeSeconds: Int64
    ) {
        self.name = name
        self.issuer = issuer
        self.audience = audience
        self.conditions = conditions.sorted { $0.claim < $1.claim }
        self.grant = grant
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Throws unless verified claims meet the trust at an instant.
    package func require(_ claims: IdentityClaims, at now: Timestamp) throws(IdentityTokenFault) {
        try claims.require(issuer: issuer, audience: audience, at: now)
        for condition in conditions {
            guard let text = claims.text(of: condition.claim) else {
                throw .refused("it has no claim '\(condition.claim)', on which the trust '\(name)' has a condition")
            }
            // Strangers also get tokens of a public issuer, so the message does not show the pattern.
            guard condition.matches(text) else {
                throw .refused(
                    "the trust '\(name)' does not accept its claim '\(condition.claim)', '\(ShownText.of(text.utf8))'")
            }
        }
    }

    /// The members of the trust besides its name.
    package var members: [JSON.Member] {
        let claims = conditions.map { JSON.Member($0.claim, .string($0.pattern)) }
        return [
            .init("issuer", .string(issuer)), .init("audience", .string(audience)), .init("claims", .object(claims)),
        ] + grant.members + [.init("lifetimeSeconds", .integer(lifetimeSeconds))]
    }
}
