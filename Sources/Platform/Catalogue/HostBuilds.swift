package import Domain
import Ground

/// The use cases of the registered builds of host apps.
package struct HostBuilds: Sendable {
    private let live: LiveApps
    private let store: any BuildStore
    private let cryptography: any Cryptography
    private let clock: any WallClock

    package init(live: LiveApps, store: any BuildStore, cryptography: any Cryptography, clock: any WallClock) {
        self.live = live
        self.store = store
        self.cryptography = cryptography
        self.clock = clock
    }

    /// Returns the registered builds of the host app, by appVersion.
    package func builds(of app: LiveApp) async throws(PlatformError) -> [RegisteredBuild] {
        try await store.builds(of: app.id)
    }

    /// Returns a registered build, or throws `buildNotFound`.
    package func requireBuild(_ appVersion: String, of app: LiveApp) async throws(PlatformError) -> RegisteredBuild {
        guard let build = try await builds(of: app).first(where: { $0.build.appVersion == appVersion }) else {
            throw Self.noBuild(appVersion, of: app.id)
        }
        return build
    }

    /// Registers a build of the host app, or changes its native APIs; returns whether the build is new.
    ///
    /// A publisher may add a build, since no device loses a version by that; a change requires a releaser, because
    /// devices of the build may lose the version that they have (decision 0045). Throws `forbidden`,
    /// `preconditionFailed`, `invalidRequest` if a new name is not in NFC, and `conflict` if there are too many builds.
    package func putBuild(
        _ build: HostBuild, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.change(app) { () throws(PlatformError) in
            let builds = try await store.builds(of: app.id)
            let known = builds.first { $0.build.appVersion == build.appVersion }?.build
            try precondition?.require(known?.tag(by: cryptography), of: Self.words(build.appVersion))
            if let known {
                guard known != build else { return false }
                guard author.has(.releaser, on: .app(app.id)) else {
                    throw PlatformError(
                        .forbidden,
                        "\(author.roles) Changing the APIs of a registered build, whose "
                            + "devices may lose versions by that, requires the role '\(Role.releaser.rawValue)'.")
                }
            } else {
                guard build.hasNormalizedName else {
                    throw PlatformError(
                        .invalidRequest,
                        "The appVersion '\(ShownText.of(build.appVersion.utf8))' is not in Unicode Normalization Form C (NFC). Normalize "
                            + "it and register the build again.")
                }
                try HostBuild.requireRoom(beside: builds, in: app.id)
            }
            let stored = known.map { build.named(as: $0) } ?? build
            try await store.putBuild(
                stored, of: app.id,
                audit: author.audit(
                    .putBuild, stored.appVersion, in: app.id, at: clock.now(),
                    [.init("apis", .integer(Int64(build.apis.count)))],
                    change: AuditChange(from: known?.auditMembers, to: stored.auditMembers)))
            return known == nil
        }
    }

    /// Removes a build; its devices count as those of a build that was never registered.
    ///
    /// Throws `buildNotFound` and `preconditionFailed`.
    package func deleteBuild(
        _ appVersion: String, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> RegisteredBuild {
        try await live.change(app) { () throws(PlatformError) in
            let known = try await store.builds(of: app.id).first { $0.build.appVersion == appVersion }
            try precondition?.require(known?.build.tag(by: cryptography), of: Self.words(appVersion))
            guard let known else { throw Self.noBuild(appVersion, of: app.id) }
            try await store.deleteBuild(
                known.build.appVersion, of: app.id,
                audit: author.audit(
                    .deleteBuild, known.build.appVersion, in: app.id, at: clock.now(),
                    change: .removed(known.build.auditMembers)))
            return known
        }
    }

    private static func noBuild(_ appVersion: String, of app: AppID) -> PlatformError {
        PlatformError(
            .buildNotFound, "The app '\(app)' has no build '\(ShownText.of(appVersion.utf8))'. To see the builds:",
            remedy: .listBuilds(of: app))
    }

    private static func words(_ appVersion: String) -> String { "The build '\(ShownText.of(appVersion.utf8))'" }
}
