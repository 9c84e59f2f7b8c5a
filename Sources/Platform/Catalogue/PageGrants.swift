package import Domain
import Ground

/// The use cases of grants for pages outside packages.
package struct PageGrants: Sendable {
    private let live: LiveApps
    private let store: any PageGrantStore
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any PageGrantStore, cryptography: any Cryptography, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns the grants by name, including expired ones.
    package func pageGrants(of app: LiveApp) async throws(PlatformError) -> [PageGrant] {
        try await store.pageGrants(of: app.id)
    }

    /// Returns a grant, expired or not; throws `grantNotFound`.
    package func requirePageGrant(_ name: GrantName, of app: LiveApp) async throws(PlatformError) -> PageGrant {
        guard let grant = try await pageGrants(of: app).first(where: { $0.name == name }) else {
            throw Self.noGrant(name, of: app.id)
        }
        return grant
    }

    /// Creates or replaces a grant; returns whether it is new.
    ///
    /// Throws `preconditionFailed`, and `conflict` if another grant has the same origin and path, or if there are too many grants.
    package func putPageGrant(
        _ grant: PageGrant, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await require(precondition, of: grant.name, in: app)
            let audit = author.audit(
                .putPageGrant, grant.name.text, in: app.id, at: clock.now(), grant.auditMembers,
                change: AuditChange(from: known?.auditMembers, to: grant.auditMembers))
            return try await store.putPageGrant(grant, of: app.id, audit: audit)
        }
    }

    /// Ends a grant; statements issued by it remain valid for their few minutes.
    ///
    /// Throws `grantNotFound` and `preconditionFailed`.
    package func removePageGrant(
        _ name: GrantName, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> PageGrant {
        try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await require(precondition, of: name, in: app)
            let audit = author.audit(
                .deletePageGrant, name.text, in: app.id, at: clock.now(),
                change: known.map { .removed($0.auditMembers) } ?? .none)
            guard let removed = try await store.removePageGrant(name, of: app.id, audit: audit) else {
                throw Self.noGrant(name, of: app.id)
            }
            return removed
        }
    }

    /// Checks the precondition of a change of a grant, and returns the grant.
    private func require(
        _ precondition: IfMatchPrecondition?, of name: GrantName, in app: LiveApp
    ) async throws(PlatformError) -> PageGrant? {
        let known = try await store.pageGrants(of: app.id).first { $0.name == name }
        try precondition?.require(known?.tag(by: cryptography), of: "The page grant '\(name)'")
        return known
    }

    private static func noGrant(_ name: GrantName, of app: AppID) -> PlatformError {
        PlatformError(
            .grantNotFound, "The app '\(app)' has no page grant '\(name)'. To see the page grants:",
            remedy: .listPageGrants(of: app))
    }
}
