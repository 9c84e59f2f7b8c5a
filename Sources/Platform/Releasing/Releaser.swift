package import Domain
import Execution
import Synchronization

/// Makes releases, together with the patches that they need.
package final class Releaser: Sendable {
    let live: LiveApps
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let builder: PatchBuilder
    let dialects: DialectKeeper
    let clock: any WallClock
    /// Building holds a thread and the disk; nothing that an app's changes wait for goes through here.
    private let builds = AsyncGate(width: 2)
    /// Pairs for which building gave an incremental archive alone: not to be built at every release.
    private let withoutDelta = Mutex<[PackageName: Set<VersionPair>]>([:])

    private struct PackageName: Hashable {
        let app: AppID
        let package: PackageID
    }

    /// How often the patches of a release are built beside other changes, before the changes have to wait for them.
    static let attempts = 3

    package init(
        live: LiveApps, keys: KeyRing, blobs: any BlobStore, builder: PatchBuilder, dialects: DialectKeeper,
        clock: any WallClock
    ) {
        self.live = live
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.dialects = dialects
        self.clock = clock
    }

    /// A release that was made, and how it stands to the others of its package and channel.
    package struct Outcome: Sendable {
        package let release: Release
        package let shadowing: Shadowing
        /// All of its package, as they then are.
        package let releases: [Release]
        /// False where patches to its version could not be signed: until they are, devices get the full archive.
        package let arePatchesReady: Bool
    }

    /// Offers a version.
    ///
    /// Throws `channelNotFound`, `versionNotFound`, `versionRetired`, `listNotFound`, and `conflict` where a dialect of the
    /// package is not for the version.
    package func release(_ draft: ReleaseDraft, by author: Operator) async throws(PlatformError) -> Outcome {
        try await release(Intent(draft: draft, takingBack: nil), by: author)
    }

    /// The release that a draft would give, without its number; nothing is made.
    ///
    /// Throws what making it would, but for what concerns lists, dialects and patches.
    package func rehearse(_ draft: ReleaseDraft) async throws(PlatformError) -> Release {
        let app = try live.requireApp(draft.app)
        _ = try app.requireView(of: draft.channel)
        return try await plan(Intent(draft: draft, takingBack: nil), of: app).release
    }

    /// What is to be made.
    struct Intent: Sendable {
        let draft: ReleaseDraft
        /// A release that it takes the place of, as it then is.
        let takingBack: Release?
    }

    func release(_ intent: Intent, by author: Operator) async throws(PlatformError) -> Outcome {
        let draft = intent.draft
        let app = try live.requireApp(draft.app)
        guard app.view(of: draft.channel) != nil else {
            throw PlatformError(
                .channelNotFound,
                "The app '\(draft.app)' has no channel '\(draft.channel)'. Declare it first: PUT "
                    + "/api/v1/apps/\(draft.app)/channels/\(draft.channel).")
        }
        var missing = try await plan(intent, of: app).missing
        let ready = try await dialects.prepare(draft, by: author)
        if missing.isEmpty {
            switch try await make(intent, with: [:], ready: ready, of: app, by: author) {
            case .made(let outcome): return outcome
            case .lacking(let pairs): missing = pairs
            }
        }
        // Keeps what is built from being swept until the release refers to it.
        return try await blobs.withStaging(on: builder.work) { staging throws(PlatformError) in
            try await release(intent, building: missing, into: staging, ready: ready, of: app, by: author)
        }
    }

    /// Builds patches while others may change the app, and makes the release if these are the ones that it needs by
    /// then; if not, once more.
    private func release(
        _ intent: Intent, building first: Set<VersionPair>, into staging: any BlobStaging, ready: Package?,
        of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Outcome {
        let draft = intent.draft
        var missing = first
        var built: [VersionPair: [Artifact]] = [:]
        for _ in 0..<Self.attempts {
            let more: [VersionPair: [Artifact]]
            do throws(PlatformError) {
                more = try await builds.pass { () throws(PlatformError) in
                    try await builder.build(missing, of: draft.package, in: draft.app, into: staging)
                }
            } catch {
                // Its files may have been removed meanwhile, which then is what to say.
                _ = try await plan(intent, of: app)
                throw error
            }
            built.merge(more) { $1 }
            note(more, of: draft)
            switch try await make(intent, with: built, ready: ready, of: app, by: author) {
            case .made(let outcome): return outcome
            case .lacking(let pairs): missing = pairs
            }
        }
        return try await live.change(app) { () throws(PlatformError) in
            let plan = try await plan(intent, of: app)
            try await dialects.require(ready, for: intent.draft)
            let lacking = plan.missing.subtracting(built.keys)
            let more = try await builder.build(lacking, of: draft.package, in: draft.app, into: staging)
            return try await commit(plan, of: intent, with: built.merging(more) { $1 }, by: author)
        }
    }

    private func note(_ built: [VersionPair: [Artifact]], of draft: ReleaseDraft) {
        let lacking = built.filter { !$0.value.contains { $0.kind == .delta } }.keys
        guard !lacking.isEmpty else { return }
        withoutDelta.withLock {
            $0[PackageName(app: draft.app, package: draft.package), default: []].formUnion(lacking)
        }
    }

    /// How making a release ended, when it did not fail.
    private enum Attempt {
        case made(Outcome)
        /// Nothing was changed: these patches have to be built first.
        case lacking(Set<VersionPair>)
    }

    /// Makes the release if the patches that it needs now are there or built.
    private func make(
        _ intent: Intent, with built: [VersionPair: [Artifact]], ready: Package?, of app: LiveApp,
        by author: Operator
    ) async throws(PlatformError) -> Attempt {
        try await live.change(app) { () throws(PlatformError) in
            let plan = try await plan(intent, of: app)
            try await dialects.require(ready, for: intent.draft)
            let lacking = plan.missing.subtracting(built.keys)
            guard lacking.isEmpty else { return .lacking(lacking) }
            return .made(try await commit(plan, of: intent, with: built, by: author))
        }
    }

    func plan(_ intent: Intent, of app: LiveApp) async throws(PlatformError) -> ReleasePlan {
        let store = live.store
        let draft = intent.draft
        guard
            let found = try await store.publication(of: draft.version, of: draft.package, in: draft.app),
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
                "The floor \(floor.version) is above \(draft.version) itself: devices that took it would fall below the floor. Give a "
                    + "version up to \(draft.version).")
        }
        try await requireNoCircle(of: draft, needing: found.requirements, in: app)
        let before = try await store.releases(of: draft.package, in: draft.app)
        let shipped = try await store.shippedVersions(of: draft.package, in: draft.app)
        var plan = ReleasePlan(
            of: draft, takingBack: intent.takingBack, requirements: found.requirements, among: before,
            shipped: shipped, at: app.decisionInstant(clock.now()))
        let targets = Array(Set(plan.missing.map(\.target)))
        let name = PackageName(app: draft.app, package: draft.package)
        plan.found(
            try await store.patches(to: targets, of: draft.package, in: draft.app),
            withoutDelta: withoutDelta.withLock { $0[name] ?? [] })
        return plan
    }

    /// Throws `conflict` where packages would need each other: no device could have either.
    private func requireNoCircle(
        of draft: ReleaseDraft, needing requirements: VersionRequirements, in app: LiveApp
    ) async throws(PlatformError) {
        guard !requirements.dependencies.isEmpty else { return }
        let state = try await live.store.state(of: app.id, at: app.decisionInstant(clock.now()))
        var needs = PackageNeeds()
        needs.add(requirements, of: draft.package)
        for release in state.releases.values.joined() where release.channel == draft.channel && !release.hasEnded {
            needs.add(release.requirements, of: release.package)
        }
        guard needs.all(of: draft.package).contains(draft.package) else { return }
        throw PlatformError(
            .conflict,
            "\(draft.package) \(draft.version) needs packages that need '\(draft.package)' in turn, so no device could have any "
                + "of them: publish a version that does not.")
    }

    /// Signs the patches that the plan needs, by the keys of this moment, and makes the release together with them.
    ///
    /// What was built and is not needed, or what a command does not sign, stays a blob without an owner: a broken
    /// command must not keep a version from devices, whose full archive has been signed long ago.
    private func commit(
        _ plan: ReleasePlan, of intent: Intent, with built: [VersionPair: [Artifact]], by author: Operator
    ) async throws(PlatformError) -> Outcome {
        var patches: [SignedArtifact] = []
        var left = plan.missing.sorted()[...]
        while let pair = left.first, let signed = try await sign(built[pair] ?? []) {
            patches += signed
            left.removeFirst()
        }
        let draft = intent.draft
        var details: [JSON.Member] = [
            .init("channel", .string(draft.channel.text)),
            .init("activeTime", .string(plan.release.activeTime.rfc3339)),
            .init("mandatory", .bool(draft.terms.isMandatory)),
            .init("percent", .string(plan.release.percent(at: plan.release.activeTime).percent)),
        ]
        if let ended = intent.takingBack { details.append(.init("takesBack", .integer(ended.id.value))) }
        let audit = author.audit(
            intent.takingBack == nil ? "release.make" : "release.rollback", "\(draft.package)@\(draft.version)",
            in: draft.app, at: plan.instant, details)
        let made = try await live.store.makeRelease(
            draft, takingBack: intent.takingBack, patches: patches,
            blobs: patches.map { BlobRecord(digest: $0.artifact.blob, size: $0.artifact.size) }, audit: audit)
        return Outcome(
            release: made, shadowing: Shadowing(of: made, among: plan.before, at: plan.instant),
            releases: plan.before + [made],
            arePatchesReady: !left.contains { $0.target == draft.version })
    }

    /// Signs the patches of a pair; `nil` where a command does not.
    ///
    /// No more is to be asked of it then: the app's other changes wait meanwhile.
    private func sign(_ patches: [Artifact]) async throws(PlatformError) -> [SignedArtifact]? {
        var signed: [SignedArtifact] = []
        do throws(PlatformError) {
            for patch in patches { signed.append(try await keys.sign(patch)) }
        } catch  where error.code == .signingFailed {
            return nil
        }
        return signed
    }
}

extension PlatformError {
    static func noVersion(_ version: VersionString, of package: PackageID) -> PlatformError {
        PlatformError(
            .versionNotFound, "'\(package)' has no version \(version). Publish it first, or see which there are.")
    }
}
