import Domain
import Synchronization

/// What making releases comes to, before anything is made.
extension Releaser {
    /// One plan for each intent; throws where one of them cannot be.
    func plans(_ making: Making, of app: LiveApp) async throws(PlatformError) -> [ReleasePlan] {
        let store = live.store
        let now = app.decisionInstant(clock.now())
        var requirements: [VersionRequirements] = []
        var before: [[Release]] = []
        for intent in making.intents {
            requirements.append(try await requireReleasable(intent.draft))
            before.append(try await store.releases(of: intent.draft.package, in: app.id))
        }
        try await requireNoCircle(of: making.intents.map(\.draft), needing: requirements, in: app)
        let set = try await membership(of: making, needing: requirements)
        let taken = before.joined().filter { $0.channel == making.channel }.map(\.rank)
        var plans: [ReleasePlan] = []
        for (index, intent) in making.intents.enumerated() {
            let package = intent.draft.package
            try intent.draft.requireNew(among: before[index], in: set, at: now)
            var plan = ReleasePlan(
                of: intent.draft, takingBack: intent.takingBack, requirements: requirements[index],
                among: before[index], shipped: try await store.shippedVersions(of: package, in: app.id), set: set,
                taken: Set(taken), at: now)
            let name = PackageName(app: app.id, package: package)
            plan.found(
                try await store.patches(to: Array(Set(plan.missing.map(\.target))), of: package, in: app.id),
                withoutDelta: withoutDelta.withLock { $0[name] ?? [] })
            plans.append(plan)
        }
        return plans
    }

    /// What the version of a draft asks; throws where it may not be released.
    private func requireReleasable(_ draft: ReleaseDraft) async throws(PlatformError) -> VersionRequirements {
        guard
            let found = try await live.store.publication(of: draft.version, of: draft.package, in: draft.app),
            found.version == draft.version
        else { throw PlatformError.noVersion(draft.version, of: draft.package) }
        if let prunedAt = found.prunedAt {
            throw PlatformError(
                .conflict,
                "The files of \(draft.package) \(draft.version) were removed on \(prunedAt): publish the same content "
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
                "The floor \(floor.version) is above \(draft.version) itself: devices that took it would fall below the "
                    + "floor. Give a version up to \(draft.version).")
        }
        return found.requirements
    }

    /// Throws `conflict` where packages would need each other, those that are released together looked at together: no device
    /// could have any of them.
    private func requireNoCircle(
        of drafts: [ReleaseDraft], needing requirements: [VersionRequirements], in app: LiveApp
    ) async throws(PlatformError) {
        guard requirements.contains(where: { !$0.dependencies.isEmpty }) else { return }
        let state = try await live.store.state(of: app.id, at: app.decisionInstant(clock.now()))
        var needs = PackageNeeds()
        for (draft, requirements) in zip(drafts, requirements) { needs.add(requirements, of: draft.package) }
        for release in state.releases.values.joined() where release.channel == drafts[0].channel && !release.hasEnded {
            needs.add(release.requirements, of: release.package)
        }
        guard let draft = drafts.first(where: { needs.all(of: $0.package).contains($0.package) }) else { return }
        throw PlatformError(
            .conflict,
            "\(draft.package) \(draft.version) needs packages that need '\(draft.package)' in turn, so no device could have any "
                + "of them: publish a version that does not.")
    }

    /// What the releases will know of their set, but for its number.
    private func membership(
        of making: Making, needing requirements: [VersionRequirements]
    ) async throws(PlatformError) -> SetMembership? {
        guard making.isSet else { return nil }
        var isPlain = requirements.allSatisfy { $0 == .none }
        var versions: [PackageID: VersionString] = [:]
        for draft in making.intents.map(\.draft) {
            versions[draft.package] = draft.version
            let package = try await live.store.package(draft.package, in: draft.app)
            isPlain = isPlain && package?.isEnabled ?? false
        }
        return SetMembership(id: ReleaseSetID(.max), versions: versions, isPlain: isPlain)
    }
}
