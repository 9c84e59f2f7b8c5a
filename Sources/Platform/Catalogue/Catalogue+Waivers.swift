package import Domain

/// Findings of the linter that are fine in a package.
extension Catalogue {
    /// By code, then path, those for every path first.
    package func waivers(of package: Package) async throws(PlatformError) -> [LintWaiver] {
        try await live.store.waivers(of: package.id, in: package.app)
    }

    /// Makes a waiver, or gives the one for the same code and path another reason; `isNew` says which.
    ///
    /// Throws `conflict` where there are too many.
    package func putWaiver(
        for code: LintFinding.Code, at path: TreePath?, because reason: String, of package: Package,
        by author: Operator
    ) async throws(PlatformError) -> (waiver: LintWaiver, isNew: Bool) {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let now = clock.now()
            let waiver = LintWaiver(code: code, path: path, reason: reason, actor: author.name, time: now)
            let audit = author.audit(
                .putWaiver, package.id.text, in: app.id, at: now,
                Self.details(code, path) + [.init("reason", .string(reason))])
            return (waiver, try await live.store.putWaiver(waiver, of: package.id, in: app.id, audit: audit))
        }
    }

    /// Ends a waiver; throws `waiverNotFound`.
    package func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: Package, by author: Operator
    ) async throws(PlatformError) -> LintWaiver {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let audit = author.audit(
                .deleteWaiver, package.id.text, in: app.id, at: clock.now(), Self.details(code, path))
            let removed = try await live.store.removeWaiver(
                for: code, at: path, of: package.id, in: app.id, audit: audit)
            guard let removed else {
                let place = path.map { "the path '\($0)'" } ?? "every path"
                throw PlatformError(
                    .waiverNotFound,
                    "'\(package.id)' has no waiver of '\(code.rawValue)' for \(place). See which there are: GET "
                        + "/api/v1/apps/\(app.id)/packages/\(package.id)/waivers.")
            }
            return removed
        }
    }

    private static func details(_ code: LintFinding.Code, _ path: TreePath?) -> [JSON.Member] {
        [.init("code", .string(code.rawValue))] + (path.map { [.init("path", .string($0.text))] } ?? [])
    }
}
