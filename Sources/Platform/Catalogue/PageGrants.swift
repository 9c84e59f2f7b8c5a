package import Domain
import Ground

/// The use cases of grants for pages outside packages.
package struct PageGrants: Sendable {
    private let live: LiveApps
    private let store: any PageGrantStore
    private let clock: any WallClock

    package init(live: LiveApps, store: any PageGrantStore, clock: any WallClock) {
        self.live = live
        self.store = store
        self.clock = clock
    }

    /// Returns the grants by name, including expired ones.
    package func pageGrants(of app: LiveApp) async throws(PlatformError) -> [PageGrant] {
        try await store.pageGrants(of: app.id)
    }

    /// Creates or replaces a grant; returns whether it is new.
    ///
    /// Throws `conflict` if another grant has the same origin and path, or if there are too many grants.
    package func putPageGrant(
        _ grant: PageGrant, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await pageGrants(of: app).first { $0.name == grant.name }
            let audit = author.audit(
                .putPageGrant, grant.name.text, in: app.id, at: clock.now(), grant.auditMembers,
                change: AuditChange(from: known?.auditMembers, to: grant.auditMembers))
            return try await store.putPageGrant(grant, of: app.id, audit: audit)
        }
    }

    /// Ends a grant; statements issued by it remain valid for their few minutes.
    ///
    /// Throws `grantNotFound`.
    package func removePageGrant(
        _ name: GrantName, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> PageGrant {
        try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await pageGrants(of: app).first { $0.name == name }
            let audit = author.audit(
                .deletePageGrant, name.text, in: app.id, at: clock.now(),
                change: known.map { .removed($0.auditMembers) } ?? .none)
            guard let removed = try await store.removePageGrant(name, of: app.id, audit: audit) else {
                throw PlatformError(
                    .grantNotFound,
                    "The app '\(app.id)' has no page grant '\(name)'. To see the page grants:",
                    remedy: .listPageGrants(of: app.id))
            }
            return removed
        }
    }
}
