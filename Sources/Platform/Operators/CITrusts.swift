package import Domain
package import Execution
import Ground

/// The use cases of CI trusts: managing them, and giving jobs tokens by them (decision 0085).
package struct CITrusts: Sendable {
    /// The bytes of a token's name besides the names of the trust and the job: a space, and an ellipsis.
    private static let frameLength = 4

    private let store: any CITrustStore
    private let tokens: TokenAuthority
    private let directory: IssuerDirectory
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock

    /// - Parameter work: The pool that verifies signatures.
    package init(
        store: any CITrustStore, tokens: TokenAuthority, directory: IssuerDirectory, cryptography: any Cryptography,
        work: WorkExecutor, clock: any WallClock
    ) {
        self.store = store
        self.tokens = tokens
        self.directory = directory
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
    }

    /// Returns the trusts whose scope the author is an admin of, by name.
    package func trusts(for author: Operator) async throws(PlatformError) -> [CITrust] {
        try await store.ciTrusts().filter { author.has(.admin, on: $0.grant.scope) }
    }

    /// Returns a trust; throws `ciTrustNotFound` also for one whose scope the author is no admin of.
    package func requireTrust(_ name: CITrustName, for author: Operator) async throws(PlatformError) -> CITrust {
        guard let trust = try await store.ciTrust(name), author.has(.admin, on: trust.grant.scope) else {
            throw Self.noTrust(name)
        }
        return trust
    }

    /// Creates or replaces a trust, which ends the tokens of the former one; returns whether it is new.
    ///
    /// Throws `forbidden` unless the author is an admin of the scope, `conflict` if a trust has the name that is for another
    /// scope, or if there are too many, `invalidRequest` for an issuer without a usable URL, `preconditionFailed`,
    /// `appNotFound` and `channelNotFound`.
    package func put(
        _ trust: CITrust, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try author.require(.admin, on: trust.grant.scope)
        try author.requireLasting()
        try directory.requireUsable(trust.issuer)
        let known = try await store.ciTrust(trust.name)
        if let known, !author.has(.admin, on: known.grant.scope) {
            throw PlatformError(.conflict, "The name '\(trust.name)' is taken. Give the CI trust another one.")
        }
        try precondition?.require(known.map(tag), of: "The CI trust '\(trust.name)'")
        let audit = author.audit(
            .putCITrust, trust.name.text, in: nil, at: clock.now(), trust.members,
            change: AuditChange(from: known?.members, to: trust.members))
        try await tokens.ending { () throws(PlatformError) in
            try await store.putCITrust(trust, over: known, audit: audit)
        }
        return known == nil
    }

    /// Removes a trust and ends its tokens; throws `ciTrustNotFound` and `preconditionFailed`.
    package func remove(
        _ name: CITrustName, ifMatch precondition: IfMatchPrecondition?, by author: Operator
    ) async throws(PlatformError) -> CITrust {
        let known = try await requireTrust(name, for: author)
        try precondition?.require(tag(of: known), of: "The CI trust '\(name)'")
        let audit = author.audit(.deleteCITrust, name.text, in: nil, at: clock.now(), change: .removed(known.members))
        try await tokens.ending { () throws(PlatformError) in
            try await store.removeCITrust(known, audit: audit)
        }
        return known
    }

    /// Returns the entity tag of a trust.
    package func tag(of trust: CITrust) -> String { String(tagOf: .object(trust.members), by: cryptography) }

    /// Gives a CI job a token for its identity token.
    ///
    /// Throws `unauthorized` unless the identity token is genuine and meets the trust, and `busy` while the keys of the
    /// issuer cannot be read.
    package func exchange(
        _ text: String, under name: CITrustName, from address: String
    ) async throws(PlatformError) -> TokenAuthority.Made {
        let token: IdentityToken
        do throws(IdentityTokenFault) { token = try IdentityToken(parsing: text) } catch {
            throw PlatformError(.unauthorized, error.message)
        }
        // Before the signature is verified, a response says nothing about the conditions of trusts.
        guard let trust = try await store.ciTrust(name), token.claims.issuer == trust.issuer else {
            throw PlatformError(
                .unauthorized, "The identity token is refused: no CI trust '\(name)' accepts its issuer ('iss').")
        }
        let key = try await directory.key(for: token, of: trust.issuer)
        let isGenuine =
            if let key { await work.run { cryptography.verify(token, by: key) } } else { false }
        guard isGenuine else {
            throw PlatformError(
                .unauthorized,
                "The identity token is refused: it is not signed by a key that its issuer publishes now.")
        }
        do throws(IdentityTokenFault) { try trust.require(token.claims, at: clock.now()) } catch {
            throw PlatformError(.unauthorized, error.message)
        }
        let room = Token.maximumNameLength - trust.name.text.utf8.count - Self.frameLength
        let subject = ShownText.of((token.claims.subject ?? "").utf8, upTo: room)
        return try await tokens.exchange(by: trust, subject: subject, address: address)
    }

    private static func noTrust(_ name: CITrustName) -> PlatformError {
        PlatformError(
            .ciTrustNotFound, "There is no CI trust '\(name)'. To see the CI trusts:", remedy: .listCITrusts)
    }
}
