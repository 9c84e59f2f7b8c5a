package import Domain

/// What pages outside packages may use.
extension Catalogue {
    /// By name, expired ones included.
    package func pageGrants(of app: LiveApp) async throws(PlatformError) -> [PageGrant] {
        try await live.store.pageGrants(of: app.id)
    }

    /// Makes a grant, or puts it in the place of the one of its name; `false` where there was one.
    ///
    /// Throws `conflict` where another one is for the same origin and path, or there are too many.
    package func putPageGrant(
        _ grant: PageGrant, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.alone(with: app) { () throws(PlatformError) in
            let audit = author.audit(
                .putPageGrant, grant.name.text, in: app.id, at: clock.now(),
                [
                    .init("origin", .string(grant.origin.text)), .init("path", .string(grant.path.text)),
                    .init("apis", .array(grant.apis.map { .string($0) })),
                    .init("expires", .string(grant.expiresAt.rfc3339)),
                ])
            return try await live.store.putPageGrant(grant, of: app.id, audit: audit)
        }
    }

    /// Ends a grant; what was issued by it holds for its few minutes.
    ///
    /// Throws `grantNotFound`.
    package func removePageGrant(
        _ name: GrantName, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> PageGrant {
        try await live.alone(with: app) { () throws(PlatformError) in
            let audit = author.audit(.deletePageGrant, name.text, in: app.id, at: clock.now())
            guard let removed = try await live.store.removePageGrant(name, of: app.id, audit: audit) else {
                throw PlatformError(
                    .grantNotFound,
                    "'\(app.id)' has no grant '\(name)'. See which there are: GET /api/v1/apps/\(app.id)/page-grants.")
            }
            return removed
        }
    }
}
