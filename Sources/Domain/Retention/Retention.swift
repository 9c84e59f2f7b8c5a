package import Ground

/// The rule that decides which versions and artifacts of a package may be removed, with the reason (semantics.md §8).
///
/// Without a reason for removal, an item stays.
package struct Retention: Sendable {
    package let policy: RetentionPolicy

    package init(_ policy: RetentionPolicy) {
        self.policy = policy
    }

    /// The reason why an item stays.
    package enum Stay: String, Sendable, CaseIterable {
        /// A response names the item, or an archive of it.
        case named
        /// A current or scheduled release offers the version.
        case offered
        /// A build of the app ships the version.
        case shipped
        /// Patches of a current or scheduled release start from the version.
        case base
        /// The item is the archive of a current or scheduled release, or the smallest patch of its kind that one needs.
        case planned
        /// A response named the item within the grace period.
        case grace
        /// The item has no mark yet; its grace period begins with the mark.
        case unseen
        /// The version is one of the newest of its package.
        case newest
        /// The version was published within the days for which versions are kept.
        case young
        /// The policy removes no versions.
        case unlimited
        /// The item is the full archive or a patch of a version that stays, and is removed together with it.
        case whole
    }

    /// The reason why an item is removed; part of the operators' API.
    package enum Go: String, Sendable, CaseIterable {
        /// The version exceeds the kept number and the kept days.
        case outdated
        /// The patch has a smaller replacement on offer.
        case superseded
        /// No response needs the patch any more.
        case unreferenced
        /// The item is an archive or patch of a version that is removed.
        case versionGoes = "version-goes"
    }

    package enum Ruling: Sendable, Equatable {
        case stays(Stay)
        case goes(Go)

        package var goes: Bool {
            if case .goes = self { true } else { false }
        }
    }

    /// The rulings on all items, in the order of the facts.
    package struct Verdict: Sendable {
        package let versions: [(version: RetentionFacts.Version, ruling: Ruling)]
        package let artifacts: [(artifact: RetentionFacts.Artifact, ruling: Ruling)]
    }

    /// Judges a package.
    ///
    /// - Parameters:
    ///   - named: The blobs of all archives and patches that responses name.
    ///   - now: The clock's time, at which grace periods and ages are evaluated.
    ///   - instant: The instant at which active releases are determined; not before the last activation.
    package func judge(
        _ facts: RetentionFacts, named: Set<SHA256Digest>, at now: Timestamp, standingAt instant: Timestamp
    ) -> Verdict {
        let needed = NeededArtifacts(of: facts, at: instant)
        let rulings = artifactRulings(on: facts, needed: needed, named: named, now)
        // A version is removed only if all its archives and all patches from it may be removed.
        var holding: [VersionString: Stay] = [:]
        for (artifact, ruling) in zip(facts.artifacts, rulings) {
            guard case .stays(let reason) = ruling, reason != .whole else { continue }
            for version in [artifact.version, artifact.base].compactMap({ $0 }) where holding[version] == nil {
                holding[version] = reason
            }
        }
        let newest = newest(of: facts.versions)
        let versions: [(version: RetentionFacts.Version, ruling: Ruling)] = facts.versions.map { version in
            (version, ruling(on: version, needed: needed, isNewest: newest.contains(version.number), holding, now))
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
        on version: RetentionFacts.Version, needed: NeededArtifacts, isNewest: Bool, _ holding: [VersionString: Stay],
        _ now: Timestamp
    ) -> Ruling {
        guard policy.removesVersions else { return .stays(.unlimited) }
        if needed.offered.contains(version.version) { return .stays(.offered) }
        if needed.shipped.contains(version.version) { return .stays(.shipped) }
        if needed.bases.contains(version.version) { return .stays(.base) }
        if let reason = holding[version.version] { return .stays(reason) }
        if isNewest { return .stays(.newest) }
        if let oldest = policy.oldestKept(at: now), version.publishedAt > oldest { return .stays(.young) }
        return .goes(.outdated)
    }

    /// Judges each artifact on its own: a full archive that may be removed stays as long as its version does.
    private func artifactRulings(
        on facts: RetentionFacts, needed: NeededArtifacts, named: Set<SHA256Digest>, _ now: Timestamp
    ) -> [Ruling] {
        facts.artifacts.map { artifact in
            if named.contains(artifact.blob) { return .stays(.named) }
            if needed.needs(artifact) { return .stays(.planned) }
            guard let since = artifact.unreferencedSince else { return .stays(.unseen) }
            guard since <= policy.graceEnd(at: now) else { return .stays(.grace) }
            guard artifact.base != nil else { return .stays(.whole) }
            return .goes(needed.hasSmaller(than: artifact) ? .superseded : .unreferenced)
        }
    }
}
