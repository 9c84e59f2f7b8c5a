package import Domain
import Ground

/// The use cases of published versions: reading them, their notes and their retirement.
package struct VersionCatalogue: Sendable {
    private let live: LiveApps
    private let store: any VersionStore & VersionDetailsStore & ReleaseStore
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(
        live: LiveApps, store: any VersionStore & VersionDetailsStore & ReleaseStore, cryptography: any Cryptography,
        clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns a page of the versions of a package.
    package func versions(
        of package: Package, _ query: VersionQuery
    ) async throws(PlatformError) -> VersionPage {
        try await store.versions(of: package.id, in: package.app, query)
    }

    /// Returns versions of all packages that begin with a text, regardless of case, the newest first.
    package func versions(
        beginningWith prefix: String, of app: LiveApp, limit: Int
    ) async throws(PlatformError) -> [FoundVersion] {
        try await store.versions(beginningWith: prefix, in: app.id, limit: limit)
    }

    /// Counts the versions of packages; a package without versions is missing.
    package func publishedCounts(
        of packages: [PackageID], in app: LiveApp
    ) async throws(PlatformError) -> [PackageID: PublishedCount] {
        try await store.publishedCounts(of: packages, in: app.id)
    }

    /// Returns the version with its files, or throws `versionNotFound`.
    package func requireVersion(_ name: VersionString, of package: Package) async throws(PlatformError) -> Version {
        guard let version = try await store.version(name, of: package.id, in: package.app) else {
            throw PlatformError.versionNotFound(name, of: package.id)
        }
        return version
    }

    /// Returns the linter's findings when the version was published; `nil` if they were not stored.
    package func findings(
        of version: VersionString, of package: Package
    ) async throws(PlatformError) -> LintResult? {
        try await store.findings(of: version, of: package.id, in: package.app)
    }

    /// Returns the version without its files, or throws `versionNotFound`.
    package func requireSummary(
        of version: VersionString, of package: Package
    ) async throws(PlatformError) -> VersionSummary {
        guard let summary = try await store.summary(of: version, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(version, of: package.id)
        }
        return summary
    }

    /// Returns the version before a change of it, in the state that the change requires.
    private func requireSummary(
        of version: VersionString, of package: Package, ifMatch precondition: IfMatchPrecondition?
    ) async throws(PlatformError) -> VersionSummary {
        let summary = try await requireSummary(of: version, of: package)
        try precondition?.require(summary.tag(by: cryptography), of: "Version \(version) of '\(package.id)'")
        return summary
    }

    /// Returns the distinct versions of a package that presets ship, those of the newest preset first.
    func shippedVersions(of package: Package) async throws(PlatformError) -> [VersionString] {
        try await store.shippedVersions(of: package.id, in: package.app)
    }

    /// Returns whether a version string is taken, regardless of case.
    func isTaken(_ version: VersionString, of package: Package) async throws(PlatformError) -> Bool {
        try await store.publication(of: version, of: package.id, in: package.app) != nil
    }

    /// Replaces the notes of a version, or removes them for `nil`; throws `versionNotFound` and `preconditionFailed`.
    package func setNotes(
        _ notes: String?, of version: VersionString, of package: Package,
        ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> VersionSummary {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let summary = try await requireSummary(of: version, of: package, ifMatch: precondition)
            let audit = author.audit(
                .setVersionNotes, "\(package.id)@\(version)", in: app.id, at: clock.now(),
                [.init("notes", notes.map { .string($0) } ?? .null)],
                change: .changed(from: summary.auditMembers, to: summary.with(notes: notes).auditMembers))
            try await store.setNotes(notes, of: version, of: package.id, in: app.id, audit: audit)
            return summary.with(notes: notes)
        }
    }

    /// Retires a version, which cannot be released again; leaves a retired version unchanged.
    ///
    /// Throws `versionNotFound`, `preconditionFailed`, and `versionOffered` if a release offers the version to devices now or later.
    package func retire(
        _ version: VersionString, of package: Package, because reason: String,
        ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> VersionSummary {
        let app = try live.requireApp(package.app)
        // Exclusive, so that no release comes in between.
        return try await live.alone(with: app) { () throws(PlatformError) in
            let summary = try await requireSummary(of: version, of: package, ifMatch: precondition)
            let now = clock.now()
            let releases = try await store.releases(of: package.id, in: app.id)
            if let release = Retirement.obstacle(to: version, among: releases, at: app.decisionInstant(now)) {
                throw PlatformError.offered(by: release, at: app.decisionInstant(now))
            }
            let retirement = Retirement(time: now, actor: author.name, reason: reason)
            let audit = author.audit(
                .retireVersion, "\(package.id)@\(version)", in: app.id, at: now, [.init("reason", .string(reason))],
                change: .changed(
                    from: summary.auditMembers, to: summary.with(retirement: retirement).auditMembers))
            _ = try await store.retire(version, of: package.id, in: app.id, retirement, audit: audit)
            return summary.with(retirement: summary.retirement ?? retirement)
        }
    }

    /// Ends a version's retirement; leaves a version that is not retired unchanged.
    ///
    /// Throws `versionNotFound` and `preconditionFailed`.
    package func unretire(
        _ version: VersionString, of package: Package, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> VersionSummary {
        let app = try live.requireApp(package.app)
        return try await live.alone(with: app) { () throws(PlatformError) in
            let summary = try await requireSummary(of: version, of: package, ifMatch: precondition)
            let audit = author.audit(
                .unretireVersion, "\(package.id)@\(version)", in: app.id, at: clock.now(),
                change: .changed(from: summary.auditMembers, to: summary.with(retirement: nil).auditMembers))
            _ = try await store.unretire(version, of: package.id, in: app.id, audit: audit)
            return summary.with(retirement: nil)
        }
    }
}

extension PlatformError {
    static func versionNotFound(_ version: VersionString, of package: PackageID) -> PlatformError {
        PlatformError(.versionNotFound, "'\(package)' has no version '\(ShownText.of(version.text.utf8))'.")
    }

    fileprivate static func offered(by release: Release, at now: Timestamp) -> PlatformError {
        let use =
            release.isActive(at: now)
            ? "offers it on the channel '\(release.channel)'. Release another version there first."
            : "offers it on the channel '\(release.channel)' from \(release.activeTime.rfc3339) on. Release another "
                + "version there for that time first."
        return PlatformError(
            .versionOffered, "Version \(release.version) is in use: release \(release.id) \(use)")
    }

    static func retired(_ version: VersionString, of package: PackageID, in app: AppID) -> PlatformError {
        PlatformError(
            .versionRetired,
            "Version \(version) of '\(package)' is retired and cannot be released. Release another version, or revert "
                + "the retirement first:", remedy: .unretire(version, of: package, in: app))
    }
}
