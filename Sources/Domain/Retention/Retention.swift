/// What of a package may be removed and what stays, each with the reason (semantics.md §8).
///
/// A pure rule. What it has no grounds to let go stays.
package struct Retention: Sendable {
    package let policy: RetentionPolicy

    package init(_ policy: RetentionPolicy) {
        self.policy = policy
    }

    /// Why something stays.
    package enum Stay: String, Sendable, CaseIterable {
        /// An answer names it, or an archive of it.
        case named
        /// A release that is current or coming offers it.
        case offered
        /// A build of the app ships it.
        case shipped
        /// Patches of such a release lead from it.
        case base
        /// The archive of such a release, or a patch that it needs: the smallest of its kind.
        case planned
        /// An answer named it within the grace, as far as is known.
        case grace
        /// Nobody has looked yet whether it is named: its grace begins when somebody does.
        case unseen
        /// One of the newest of its package.
        case newest
        /// Published within the days that versions are kept for.
        case young
        /// The policy removes no versions.
        case unlimited
        /// The full archive, or a patch, of a version that stays and that goes with it.
        case whole
    }

    /// Why something goes; part of the operators' API.
    package enum Go: String, Sendable, CaseIterable {
        /// A version past the number and the days that are kept.
        case outdated
        /// A patch of which a smaller one is on offer.
        case superseded
        /// A patch that no answer needs any more.
        case unreferenced
        /// An archive or patch of a version that goes.
        case versionGoes = "version-goes"
    }

    package enum Ruling: Sendable, Equatable {
        case stays(Stay)
        case goes(Go)

        package var goes: Bool {
            if case .goes = self { true } else { false }
        }
    }

    /// The rulings on everything in some facts, in their order.
    package struct Verdict: Sendable {
        package let versions: [(version: RetentionFacts.Version, ruling: Ruling)]
        package let artifacts: [(artifact: RetentionFacts.Artifact, ruling: Ruling)]
    }

    /// Judges a package.
    ///
    /// - Parameters:
    ///   - named: The blobs of all archives and patches that answers name.
    ///   - now: What the clock says; what grace and age are counted to.
    ///   - instant: At which it is decided which releases are active; not before `now`'s last activation.
    package func judge(
        _ facts: RetentionFacts, named: Set<SHA256Digest>, at now: Timestamp, standingAt instant: Timestamp
    ) -> Verdict {
        let plan = LivePlan(of: facts, at: instant)
        let rulings = artifactRulings(on: facts, plan: plan, named: named, now)
        // Of a version that goes, everything must be free to go: its own archives, and the patches from it.
        var holding: [VersionString: Stay] = [:]
        for (artifact, ruling) in zip(facts.artifacts, rulings) {
            guard case .stays(let reason) = ruling, reason != .whole else { continue }
            for version in [artifact.version, artifact.base].compactMap({ $0 }) where holding[version] == nil {
                holding[version] = reason
            }
        }
        let newest = newest(of: facts.versions)
        let versions: [(version: RetentionFacts.Version, ruling: Ruling)] = facts.versions.map { version in
            (version, ruling(on: version, plan: plan, isNewest: newest.contains(version.number), holding, now))
        }
        let going = Set(versions.filter(\.ruling.goes).map(\.version.version))
        let artifacts: [(artifact: RetentionFacts.Artifact, ruling: Ruling)] = zip(facts.artifacts, rulings).map {
            artifact, ruling in
            let goesWithVersion = going.contains(artifact.version) || artifact.base.map(going.contains) ?? false
            return (artifact, goesWithVersion ? .goes(.versionGoes) : ruling)
        }
        return Verdict(versions: versions, artifacts: artifacts)
    }

    private func newest(of versions: [RetentionFacts.Version]) -> Set<Int64> {
        let sorted = versions.sorted { ($0.publishedAt, $0.number) > ($1.publishedAt, $1.number) }
        return Set(sorted.prefix(policy.keepVersions ?? 0).map(\.number))
    }

    private func ruling(
        on version: RetentionFacts.Version, plan: LivePlan, isNewest: Bool, _ holding: [VersionString: Stay],
        _ now: Timestamp
    ) -> Ruling {
        guard policy.removesVersions else { return .stays(.unlimited) }
        if plan.offered.contains(version.version) { return .stays(.offered) }
        if plan.shipped.contains(version.version) { return .stays(.shipped) }
        if plan.bases.contains(version.version) { return .stays(.base) }
        if let reason = holding[version.version] { return .stays(reason) }
        if isNewest { return .stays(.newest) }
        if let oldest = policy.oldestKept(at: now), version.publishedAt > oldest { return .stays(.young) }
        return .goes(.outdated)
    }

    /// Each artifact by itself: a full archive that is free to go still stays as long as its version does.
    private func artifactRulings(
        on facts: RetentionFacts, plan: LivePlan, named: Set<SHA256Digest>, _ now: Timestamp
    ) -> [Ruling] {
        facts.artifacts.map { artifact in
            if named.contains(artifact.blob) { return .stays(.named) }
            if plan.needs(artifact) { return .stays(.planned) }
            guard let since = artifact.unreferencedSince else { return .stays(.unseen) }
            guard since <= policy.graceEnd(at: now) else { return .stays(.grace) }
            guard artifact.base != nil else { return .stays(.whole) }
            return .goes(plan.hasSmaller(than: artifact) ? .superseded : .unreferenced)
        }
    }
}
