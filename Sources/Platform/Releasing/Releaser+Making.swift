import Domain
import Execution
import Ground
import Synchronization

/// Making releases: the patches that they need first, then all of it in one transaction.
extension Releaser {
    /// By package, what was built.
    typealias Built = [PackageID: [VersionPair: [Artifact]]]
    private typealias Pairs = [PackageID: Set<VersionPair>]

    /// One outcome for each intent.
    func release(_ making: Making, by author: Operator) async throws(PlatformError) -> [Outcome] {
        let app = try live.requireApp(making.app)
        guard app.view(of: making.channel) != nil else {
            throw PlatformError(
                .channelNotFound,
                "The app '\(making.app)' has no channel '\(making.channel)'. Declare it first: PUT "
                    + "/api/v1/apps/\(making.app)/channels/\(making.channel).")
        }
        let first = try await plans(making, of: app)
        try await requireNoLoss(by: first, of: making, in: app, isCounting: true)
        var missing = Self.lacking(first, [:])
        var ready: [Package?] = []
        for intent in making.intents { ready.append(try await dialects.prepare(intent.draft, by: author)) }
        // A dry run builds no patches: they keep no release from being made.
        if author.isRehearsing { missing = [:] }
        if missing.isEmpty {
            switch try await make(making, with: [:], ready: ready, of: app, by: author) {
            case .made(let outcomes): return outcomes
            case .lacking(let pairs): missing = pairs
            }
        }
        // Keeps what is built from being swept until the release refers to it.
        return try await blobs.withStaging(on: builder.work) { [missing, ready] staging throws(PlatformError) in
            try await release(making, building: missing, into: staging, ready: ready, of: app, by: author)
        }
    }

    /// Builds patches while others may change the app, and makes the releases if these are the ones that they need by
    /// then; if not, once more.
    private func release(
        _ making: Making, building first: Pairs, into staging: any BlobStaging, ready: [Package?], of app: LiveApp,
        by author: Operator
    ) async throws(PlatformError) -> [Outcome] {
        var missing = first
        var built: Built = [:]
        for _ in 0..<Self.attempts {
            do throws(PlatformError) {
                let more = try await builds.pass { () throws(PlatformError) in
                    try await build(missing, of: making.app, into: staging)
                }
                built.merge(more) { $0.merging($1) { $1 } }
            } catch {
                // Its files may have been removed meanwhile, which then is what to say.
                _ = try await plans(making, of: app)
                throw error
            }
            switch try await make(making, with: built, ready: ready, of: app, by: author) {
            case .made(let outcomes): return outcomes
            case .lacking(let pairs): missing = pairs
            }
        }
        return try await live.change(app) { () throws(PlatformError) in
            let plans = try await plans(making, of: app)
            try await requireNoLoss(by: plans, of: making, in: app, isCounting: false)
            try await require(ready, for: making)
            let more = try await build(Self.lacking(plans, built), of: making.app, into: staging)
            built.merge(more) { $0.merging($1) { $1 } }
            return try await commit(plans, of: making, with: built, by: author)
        }
    }

    private func build(
        _ missing: Pairs, of app: AppID, into staging: any BlobStaging
    ) async throws(PlatformError) -> Built {
        var built: Built = [:]
        for (package, pairs) in missing.sorted(by: { $0.key < $1.key }) {
            let more = try await builder.build(pairs, of: package, in: app, into: staging)
            built[package] = more
            let withoutDelta = more.filter { !$0.value.contains { $0.kind == .delta } }.keys
            guard !withoutDelta.isEmpty else { continue }
            self.withoutDelta.withLock {
                $0[PackageName(app: app, package: package), default: []].formUnion(withoutDelta)
            }
        }
        return built
    }

    /// How making releases ended, when it did not fail.
    private enum Attempt {
        case made([Outcome])
        /// Nothing was changed: these patches have to be built first.
        case lacking(Pairs)
    }

    /// Makes the releases if the patches that they need now are there or built.
    private func make(
        _ making: Making, with built: Built, ready: [Package?], of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Attempt {
        try await live.change(app) { () throws(PlatformError) in
            let plans = try await plans(making, of: app)
            try await requireNoLoss(by: plans, of: making, in: app, isCounting: false)
            try await require(ready, for: making)
            let lacking = Self.lacking(plans, built)
            guard lacking.isEmpty || author.isRehearsing else { return .lacking(lacking) }
            return .made(try await commit(plans, of: making, with: built, by: author))
        }
    }

    private func require(_ ready: [Package?], for making: Making) async throws(PlatformError) {
        for (package, intent) in zip(ready, making.intents) { try await dialects.require(package, for: intent.draft) }
    }

    /// By package, the patches that plans need and that were not built.
    private static func lacking(_ plans: [ReleasePlan], _ built: Built) -> Pairs {
        plans.reduce(into: [:]) { lacking, plan in
            let package = plan.release.package
            let pairs = plan.missing.filter { built[package]?[$0] == nil }
            if !pairs.isEmpty { lacking[package] = pairs }
        }
    }

    /// Signs the patches that the plans need, by the keys of this moment, and makes the releases together with them.
    ///
    /// What was built and is not needed, or what a command does not sign, stays a blob without an owner: a broken
    /// command must not keep a version from devices, whose full archive has been signed long ago.
    private func commit(
        _ plans: [ReleasePlan], of making: Making, with built: Built, by author: Operator
    ) async throws(PlatformError) -> [Outcome] {
        var patches: [SignedArtifact] = []
        var left = plans.flatMap { plan in
            plan.missing.sorted().map { (package: plan.release.package, pair: $0) }
        }[...]
        while let next = left.first, let signed = try await sign(built[next.package]?[next.pair] ?? []) {
            patches += signed
            left.removeFirst()
        }
        let made = try await store(making, plans, patches, by: author)
        return zip(plans, made).map { plan, made in
            Outcome(
                release: made, shadowing: Shadowing(of: made, among: plan.before, at: plan.instant),
                releases: plan.before + [made],
                arePatchesReady: !left.contains { $0.package == made.package && $0.pair.target == made.version })
        }
    }

    /// One release for each plan.
    private func store(
        _ making: Making, _ plans: [ReleasePlan], _ patches: [SignedArtifact], by author: Operator
    ) async throws(PlatformError) -> [Release] {
        let (intents, first) = (making.intents, plans[0].release)
        let blobs = patches.map { BlobRecord(digest: $0.artifact.blob, size: $0.artifact.size) }
        let ended = intents.compactMap(\.takingBack)
        var details: [JSON.Member] = [
            .init("channel", .string(making.channel.text)), .init("activeTime", .string(first.activeTime.rfc3339)),
            .init("mandatory", .bool(first.isMandatory)),
            .init("percent", .string(first.percent(at: first.activeTime).percent)),
        ]
        guard making.isSet else {
            if let ended = ended.first { details.append(.init("takesBack", .integer(ended.id.value))) }
            let audit = author.audit(
                ended.isEmpty ? .makeRelease : .rollBackRelease, "\(first.package)@\(first.version)", in: making.app,
                at: plans[0].instant, details)
            return [
                try await live.store.makeRelease(
                    intents[0].draft, takingBack: ended.first, patches: patches, blobs: blobs, audit: audit)
            ]
        }
        if let ended = ended.first?.set { details.append(.init("takesBack", .integer(ended.id.value))) }
        let audit = author.audit(
            ended.isEmpty ? .makeReleaseSet : .rollBackReleaseSet,
            plans.map { "\($0.release.package)@\($0.release.version)" }.joined(separator: ","), in: making.app,
            at: plans[0].instant, details)
        let made = try await live.store.makeReleaseSet(
            intents.map(\.draft), takingBack: ended, patches: patches, blobs: blobs, audit: audit)
        return plans.compactMap { plan in made.first { $0.package == plan.release.package } }
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
