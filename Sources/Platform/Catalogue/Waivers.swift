package import Domain
import Ground

/// The use cases of waivers, which accept findings of the linter in a package.
package struct Waivers: Sendable {
    private let live: LiveApps
    private let store: any WaiverStore
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(live: LiveApps, store: any WaiverStore, cryptography: any Cryptography, clock: any WallClock) {
        self.live = live
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns the waivers by code, then path; waivers for every path come first.
    package func waivers(of package: Package) async throws(PlatformError) -> [LintWaiver] {
        try await store.waivers(of: package.id, in: package.app)
    }

    /// Returns the waiver for a code and path; throws `waiverNotFound`.
    package func requireWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: Package
    ) async throws(PlatformError) -> LintWaiver {
        guard let waiver = try await waivers(of: package).first(where: { $0.code == code && $0.path == path }) else {
            throw Self.noWaiver(for: code, at: path, of: package)
        }
        return waiver
    }

    /// Creates a waiver, or changes the reason of the one for this code and path; returns it and whether it is new.
    ///
    /// Throws `preconditionFailed`, and `conflict` if there are too many waivers.
    package func putWaiver(
        for code: LintFinding.Code, at path: TreePath?, because reason: String, of package: Package,
        ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> (waiver: LintWaiver, isNew: Bool) {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await require(precondition, for: code, at: path, of: package)
            let now = clock.now()
            let waiver = LintWaiver(code: code, path: path, reason: reason, actor: author.name, time: now)
            let audit = author.audit(
                .putWaiver, package.id.text, in: app.id, at: now,
                Self.details(code, path) + [.init("reason", .string(reason))],
                change: AuditChange(from: known?.auditMembers, to: waiver.auditMembers))
            return (waiver, try await store.putWaiver(waiver, of: package.id, in: app.id, audit: audit))
        }
    }

    /// Ends a waiver; throws `waiverNotFound` and `preconditionFailed`.
    package func removeWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: Package,
        ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> LintWaiver {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let known = try await require(precondition, for: code, at: path, of: package)
            let audit = author.audit(
                .deleteWaiver, package.id.text, in: app.id, at: clock.now(), Self.details(code, path),
                change: known.map { .removed($0.auditMembers) } ?? .none)
            let removed = try await store.removeWaiver(
                for: code, at: path, of: package.id, in: app.id, audit: audit)
            guard let removed else { throw Self.noWaiver(for: code, at: path, of: package) }
            return removed
        }
    }

    /// Checks the precondition of a change of a waiver, and returns the waiver.
    private func require(
        _ precondition: IfMatchPrecondition?, for code: LintFinding.Code, at path: TreePath?, of package: Package
    ) async throws(PlatformError) -> LintWaiver? {
        let known = try await waivers(of: package).first { $0.code == code && $0.path == path }
        try precondition?.require(known?.tag(by: cryptography), of: "The waiver of '\(code.rawValue)'")
        return known
    }

    private static func noWaiver(
        for code: LintFinding.Code, at path: TreePath?, of package: Package
    ) -> PlatformError {
        let scope = path.map { "the path '\($0)'" } ?? "every path"
        return PlatformError(
            .waiverNotFound, "'\(package.id)' has no waiver of '\(code.rawValue)' for \(scope). To see the waivers:",
            remedy: .listWaivers(of: package.id, in: package.app))
    }

    private static func details(_ code: LintFinding.Code, _ path: TreePath?) -> [JSON.Member] {
        [.init("code", .string(code.rawValue))] + (path.map { [.init("path", .string($0.text))] } ?? [])
    }
}
