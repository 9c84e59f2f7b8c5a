package import Domain
import Execution
import Ground

/// The use cases of presets: recording the versions that a build of an app ships, and building patches from them.
package final class PresetKeeper: Sendable {
    let live: LiveApps
    let store: any PresetStore & ReleaseStore & VersionStore & ArtifactStore & BlobNameStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    private let clock: any WallClock
    /// A gate for builds, each of which occupies a thread and the disk.
    private let builds = AsyncGate(width: 1)

    /// The number of attempts to build patches while concurrent releases require other ones.
    static let attempts = 5

    package init(
        live: LiveApps, store: any PresetStore & ReleaseStore & VersionStore & ArtifactStore & BlobNameStore,
        keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.clock = clock
    }

    /// Returns the presets of an app, newest first.
    package func presets(of app: LiveApp) async throws(PlatformError) -> [Preset] {
        try await store.presets(of: app.id)
    }

    /// Returns the preset of a build, or throws `presetNotFound`.
    package func requirePreset(of build: VersionString, in app: LiveApp) async throws(PlatformError) -> Preset {
        guard let preset = try await presets(of: app).first(where: { $0.build == build }) else {
            throw PlatformError(
                .presetNotFound, "The app '\(app.id)' has no preset for \(build). Create it first:",
                remedy: .createPreset
            )
        }
        return preset
    }

    /// Records the versions that a build ships, and builds the patches from them to the offered versions.
    ///
    /// Repeating an identical call changes nothing. Throws `versionNotFound`, and `conflict` if the build is recorded
    /// with other versions.
    ///
    /// - Parameter versions: The shipped versions; `nil` for those that devices of the channel get now.
    package func make(
        for build: VersionString, shipping versions: [PackageID: VersionString]?, elseOf channel: ChannelName,
        in app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> (preset: Preset, isNew: Bool) {
        let shipping: [PackageID: VersionString]
        if let versions { shipping = versions } else { shipping = Self.current(in: try app.requireView(of: channel)) }
        let preset = Preset(app: app.id, build: build, createdAt: clock.now(), versions: shipping)
        try await check(preset)
        if let known = try await known(preset) { return (known, false) }
        if author.isRehearsing {
            return try await live.change(app) { () throws(PlatformError) in
                try await store.addPreset(preset, patches: [], audit: Self.audit(of: preset, by: author))
                return (preset, true)
            }
        }
        return try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            var built: [PackageID: [VersionPair: [Artifact]]] = [:]
            let outcome = try await live.change(app, attempts: Self.attempts) { () throws(PlatformError) in
                for (package, pairs) in try await missing(for: preset, in: app) {
                    let lacking = pairs.subtracting((built[package] ?? [:]).keys)
                    let more = try await builds.pass { () throws(PlatformError) in
                        try await builder.build(lacking, of: package, in: app.id, into: staging)
                    }
                    built[package, default: [:]].merge(more) { $1 }
                }
                try await builder.commit(staging)
                return built
            } committing: { built throws(PlatformError) in
                try await commit(preset, with: built, in: app, by: author)
            }
            if let outcome { return outcome }
            throw PlatformError(.busy, "Releases keep changing. Try again.")
        }
    }

    /// Removes and returns a preset whose build was never shipped or is no longer in use.
    ///
    /// Throws `presetNotFound` and `preconditionFailed`.
    @discardableResult
    package func remove(
        _ build: VersionString, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> Preset {
        try await live.change(app) { () throws(PlatformError) in
            let known = try await presets(of: app).first { $0.build == build }
            try precondition?.require(known?.tag(by: keys.cryptography), of: "The preset of \(build)")
            let preset = try await requirePreset(of: build, in: app)
            // The response names these archives: the grace period leaves the operator time to undo a mistake.
            for (package, version) in preset.versions where !author.isRehearsing {
                let archives = try await store.archives(of: version, of: package, in: app.id)
                try await store.noteNamed(Set(archives.map(\.artifact.blob)), of: app.id)
            }
            let audit = author.audit(
                .deletePreset, build.text, in: app.id, at: clock.now(), change: .removed(preset.auditMembers))
            _ = try await store.removePreset(of: preset.build, in: app.id, audit: audit)
            return preset
        }
    }

    private static func current(in view: ChannelView) -> [PackageID: VersionString] {
        let current = view.entries.compactMap { entry in
            entry.current.map { (entry.package.id, $0.release.version) }
        }
        return Dictionary(uniqueKeysWithValues: current)
    }

    private func check(_ preset: Preset) async throws(PlatformError) {
        guard (1...Preset.maximumPackages).contains(preset.versions.count) else {
            throw PlatformError(
                .invalidRequest,
                "A preset must ship 1 to \(Preset.maximumPackages) packages; this one ships \(preset.versions.count). Give "
                    + "them in 'packages', or release a version on the channel first.")
        }
        var (files, bytes) = (0, 0)
        for (package, version) in preset.versions.sorted(by: { $0.key < $1.key }) {
            let known = try await store.publication(of: version, of: package, in: preset.app)
            guard let known, known.version == version, known.prunedAt == nil else {
                throw PlatformError.noVersion(version, of: package)
            }
            let summary = try await store.summary(of: version, of: package, in: preset.app)
            // The tree does not include the two descriptors.
            files += (summary?.fileCount ?? 0) + 2
            bytes += summary?.archiveSize ?? 0
        }
        guard files <= Preset.maximumFiles, bytes <= Preset.maximumBytes else {
            throw PlatformError(
                .invalidRequest,
                "All packages together have \(files) files and \(ByteCount.text(bytes)), more than a zip can "
                    + "hold (\(Preset.maximumFiles), \(ByteCount.text(Preset.maximumBytes))). Ship fewer.")
        }
    }

    /// Returns the missing patches from the preset's versions to the offered ones.
    private func missing(
        for preset: Preset, in app: LiveApp
    ) async throws(PlatformError) -> [PackageID: Set<VersionPair>] {
        let instant = app.decisionInstant(clock.now())
        var missing: [PackageID: Set<VersionPair>] = [:]
        for (package, version) in preset.versions {
            let releases = try await store.releases(of: package, in: app.id)
            let targets = Set(PatchCoverage.offered(ofEach: releases, at: instant).map(\.version)).subtracting([version]
            )
            let there = try await store.patches(to: Array(targets), of: package, in: app.id)
            let reached = Set(there.filter { $0.base == version }.map(\.version))
            missing[package] = Set(targets.subtracting(reached).map { VersionPair(base: version, target: $0) })
        }
        return missing
    }

    /// Stores the preset with its patches within a change of the app; returns `nil` if other patches have become
    /// necessary.
    private func commit(
        _ preset: Preset, with built: [PackageID: [VersionPair: [Artifact]]], in app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> (preset: Preset, isNew: Bool)? {
        if let known = try await known(preset) { return (known, false) }
        // Files may have been removed meanwhile.
        try await check(preset)
        var patches: [SignedArtifact] = []
        for (package, pairs) in try await missing(for: preset, in: app) {
            for pair in pairs.sorted() {
                guard let own = built[package]?[pair] else { return nil }
                for patch in own { patches.append(try await keys.sign(patch)) }
            }
        }
        try await store.addPreset(preset, patches: patches, audit: Self.audit(of: preset, by: author))
        return (preset, true)
    }

    private static func audit(of preset: Preset, by author: Operator) -> AuditEntry {
        author.audit(
            .makePreset, preset.build.text, in: preset.app, at: preset.createdAt, preset.auditMembers,
            change: .created(preset.auditMembers))
    }

    /// Returns the stored preset of the build; `nil` if there is none and the limit permits one.
    private func known(_ preset: Preset) async throws(PlatformError) -> Preset? {
        let presets = try await store.presets(of: preset.app)
        if let known = presets.first(where: { $0.build == preset.build }) {
            guard known.versions == preset.versions else { throw Self.different(known) }
            return known
        }
        guard presets.count < Preset.maximumCount else {
            throw PlatformError(
                .conflict, "The app has \(presets.count) presets, which is the limit. Delete old ones first.")
        }
        return nil
    }

    private static func different(_ known: Preset) -> PlatformError {
        PlatformError(
            .conflict,
            "The build \(known.build) is recorded with other versions since \(known.createdAt), and builds never change. "
                + "If it was never shipped, delete its preset first.")
    }
}
