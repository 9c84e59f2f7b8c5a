import Domain
import Ground
import Synchronization

/// A preview of a request's effect at an instant.
struct ReleasePreview {
    let instant: Timestamp
    /// The releases of its packages without the new ones; replaced ones have ended.
    let before: ChannelReleases
    /// The releases of its packages with the new ones.
    let after: ChannelReleases
    /// The new releases, one for each draft.
    let releases: [Release]
    /// All changed releases.
    let changed: [Release]
    /// The missing patches that offered releases need before the request is committed, by package.
    ///
    /// A new release may also become a base of a scheduled one.
    private(set) var missing: [PackageID: Set<VersionPair>] = [:]

    init(_ request: ReleaseRequest, among stored: ChannelReleases, _ updates: [ReleaseUpdate], at instant: Timestamp) {
        self.instant = instant
        before = stored.with(request.takingBack)
        releases = updates.filter { $0.kind == .made }.map(\.release)
        after = before.with(releases)
        changed = updates.map(\.release)
    }

    /// Returns whether every planned patch to the new version of a package is stored.
    func arePatchesReady(for release: Release) -> Bool {
        missing[release.package]?.allSatisfy { $0.target != release.version } ?? true
    }

    /// Returns the patches that releases of a package need before the request is committed.
    ///
    /// - Parameter shipped: The versions that builds of the app ship, newest build first.
    func needed(in package: PackageID, shipped: [VersionString]) -> Set<VersionPair> {
        let own = after[package]
        var needed: Set<VersionPair> = []
        for release in PatchCoverage.offered(own, at: instant) {
            for base in PatchCoverage.initialBases(of: release, among: own, shipped: shipped) {
                needed.insert(VersionPair(base: base, target: release.version))
            }
        }
        return needed
    }

    /// Records the needed patches of a package, without pairs whose possible patches are all stored.
    ///
    /// - Parameter withoutDelta: The pairs between which no delta patch is possible.
    mutating func note(
        _ needed: Set<VersionPair>, in package: PackageID, stored: [Artifact], withoutDelta: Set<VersionPair>
    ) {
        var kinds: [VersionPair: Set<Artifact.Kind>] = [:]
        for patch in stored {
            guard let base = patch.base else { continue }
            kinds[VersionPair(base: base, target: patch.version), default: []].insert(patch.kind)
        }
        let missing = needed.filter { pair in
            guard let kinds = kinds[pair] else { return true }
            return kinds.count < 2 && !withoutDelta.contains(pair)
        }
        self.missing[package] = missing.isEmpty ? nil : missing
    }
}

extension Releaser {
    /// Returns the preview of a request; throws if it cannot be carried out.
    func preview(_ request: ReleaseRequest, of app: LiveApp) async throws(PlatformError) -> ReleasePreview {
        let now = app.decisionInstant(clock.now())
        var requirements: [PackageID: VersionRequirements] = [:]
        for draft in request.drafts { requirements[draft.package] = try await requireReleasable(draft) }
        try await requireNoCircle(of: request.drafts, needing: requirements, in: app, at: now)
        let set = try await membership(of: request, needing: requirements)
        let stored = try await releases(of: request.packages, on: request.channel, in: app.id)
        let updates = try stored.making(request, needing: requirements, as: set, at: now)
        var preview = ReleasePreview(request, among: stored, updates, at: now)
        for package in request.packages {
            let shipped = try await store.shippedVersions(of: package, in: app.id)
            let needed = preview.needed(in: package, shipped: shipped)
            let name = PackageName(app: app.id, package: package)
            preview.note(
                needed, in: package,
                stored: try await store.patches(to: Array(Set(needed.map(\.target))), of: package, in: app.id),
                withoutDelta: withoutDelta.withLock { $0[name] ?? [] })
        }
        return preview
    }

    /// Returns the releases of some packages on a channel.
    func releases(
        of packages: [PackageID], on channel: ChannelName, in app: AppID
    ) async throws(PlatformError) -> ChannelReleases {
        var releases: [Release] = []
        for package in packages { releases += try await store.releases(of: package, in: app) }
        return ChannelReleases(releases, on: channel)
    }

    /// Returns the requirements of a draft's version; throws if the version may not be released.
    private func requireReleasable(_ draft: ReleaseDraft) async throws(PlatformError) -> VersionRequirements {
        guard
            let found = try await store.publication(of: draft.version, of: draft.package, in: draft.app),
            found.version == draft.version
        else { throw PlatformError.noVersion(draft.version, of: draft.package) }
        if let prunedAt = found.prunedAt {
            throw PlatformError(
                .conflict,
                "The files of \(draft.package) \(draft.version) were removed on \(prunedAt). Publish the same content "
                    + "again under this version, then release it.")
        }
        guard !found.isRetired else {
            throw PlatformError.retired(draft.version, of: draft.package, in: draft.app)
        }
        if let floor = draft.terms.floor, let own = OrderedVersion(draft.version.text),
            let lowest = OrderedVersion(floor.version.text), lowest > own
        {
            throw PlatformError(
                .invalidRequest,
                "The floor \(floor.version) is above \(draft.version) itself, so devices that install it would be below the "
                    + "floor. Give a floor up to \(draft.version).")
        }
        return found.requirements
    }

    /// Throws `conflict` if packages would depend on each other, since no device could get them.
    ///
    /// The releases of one request count together.
    private func requireNoCircle(
        of drafts: [ReleaseDraft], needing requirements: [PackageID: VersionRequirements], in app: LiveApp,
        at now: Timestamp
    ) async throws(PlatformError) {
        guard requirements.values.contains(where: { !$0.dependencies.isEmpty }) else { return }
        let state = try await live.state(of: app.id, at: now)
        var needs = PackageNeeds()
        for (package, requirements) in requirements { needs.add(requirements, of: package) }
        for release in state.releases.values.joined() where release.channel == drafts[0].channel && !release.hasEnded {
            needs.add(release.requirements, of: release.package)
        }
        guard let draft = drafts.first(where: { needs.all(of: $0.package).contains($0.package) }) else { return }
        throw PlatformError(
            .conflict,
            "\(draft.package) \(draft.version) needs packages that need '\(draft.package)' themselves, so no device could "
                + "get any of them. Publish a version without this cycle.")
    }

    /// Returns the membership of the releases of a set, without the set's number.
    private func membership(
        of request: ReleaseRequest, needing requirements: [PackageID: VersionRequirements]
    ) async throws(PlatformError) -> SetMembership? {
        guard let versions = request.setVersions else { return nil }
        var isPlain = requirements.values.allSatisfy { $0 == .none }
        for draft in request.drafts {
            let package = try await store.package(draft.package, in: draft.app)
            isPlain = isPlain && package?.isEnabled ?? false
        }
        return SetMembership(id: .unassigned, versions: versions, isPlain: isPlain)
    }
}
