package import Domain
package import Ground

/// Release sets: what is done, is done to all releases of one, or to none.
extension Releaser {
    /// A set, and what stands beside its releases.
    package struct SetFacts: Sendable {
        package let set: ReleaseSet
        /// By package, all of each, as they are with the set.
        package let releases: [PackageID: [Release]]
        package let instant: Timestamp
    }

    /// A set that was made.
    package struct SetOutcome: Sendable {
        package let facts: SetFacts
        /// By package id.
        package let outcomes: [Outcome]
    }

    /// What taking a set back comes to.
    package struct SetRollBack: Sendable {
        /// What begins in its place; `nil` in a dry run, and where its moment has not come.
        package let begun: ReleaseSetID?
        /// By package id.
        package let parts: [RollBack]
        package let isDryRun: Bool
    }

    /// Every set of an app, the newest first.
    package func sets(of app: LiveApp) async throws(PlatformError) -> [SetFacts] {
        let members = try await live.store.releases(ofSet: nil, in: app.id)
        let releases = try await releases(beside: members, in: app.id)
        let instant = app.decisionInstant(clock.now())
        return Dictionary(grouping: members) { $0.set?.id }.values.compactMap { ReleaseSet($0) }
            .sorted { $0.id > $1.id }.map { SetFacts(set: $0, releases: releases, instant: instant) }
    }

    /// Throws `releaseNotFound`.
    package func findSet(_ id: ReleaseSetID, of app: LiveApp) async throws(PlatformError) -> SetFacts {
        guard let set = ReleaseSet(try await live.store.releases(ofSet: id, in: app.id)) else {
            throw PlatformError(
                .releaseNotFound,
                "The app '\(app.id)' has no release set \(id); see which there are: GET "
                    + "/api/v1/apps/\(app.id)/release-sets.")
        }
        return SetFacts(
            set: set, releases: try await releases(beside: set.members, in: app.id),
            instant: app.decisionInstant(clock.now()))
    }

    private func releases(
        beside members: [Release], in app: AppID
    ) async throws(PlatformError) -> [PackageID: [Release]] {
        var releases: [PackageID: [Release]] = [:]
        for package in Set(members.map(\.package)) {
            releases[package] = try await live.store.releases(of: package, in: app)
        }
        return releases
    }

    /// Offers versions of several packages together.
    ///
    /// Throws what releasing one of them throws, and then releases none.
    ///
    /// - Parameter drafts: Of different packages, with one channel, moment and terms.
    package func release(
        setOf drafts: [ReleaseDraft], isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> SetOutcome {
        guard let app = drafts.first?.app, ReleaseSet.sizes.contains(drafts.count) else {
            throw PlatformError(
                .invalidRequest,
                "A release set has \(ReleaseSet.sizes.lowerBound) to \(ReleaseSet.sizes.upperBound) packages, and this one has "
                    + "\(drafts.count).")
        }
        let sorted = drafts.sorted { $0.package < $1.package }
        let outcomes = try await release(
            Making(set: sorted.map { Intent(draft: $0, takingBack: nil) }, isForced: isForced), by: author)
        guard let set = ReleaseSet(outcomes.map(\.release)) else {
            throw PlatformError(.internalError, "The release set was made, and cannot be shown.")
        }
        let releases = outcomes.reduce(into: [:]) { $0[$1.release.package] = $1.releases }
        let instant = try live.requireApp(app).decisionInstant(clock.now())
        return SetOutcome(facts: SetFacts(set: set, releases: releases, instant: instant), outcomes: outcomes)
    }

    /// Does something to all releases of a set; a roll-back has a call of its own.
    ///
    /// Throws `releaseNotFound`, `preconditionFailed` if the set is not in the state that `precondition` requires,
    /// `dependentsLost` unless it is forced, and what ``ReleaseSet/applying(_:in:at:)`` throws.
    package func apply(
        _ action: ReleaseAction, toSet id: ReleaseSetID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition?,
        isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> (facts: SetFacts, changes: [Change]) {
        let before = try await findSet(id, of: app)
        if !isForced {
            try require(precondition, of: before.set.members[0])
            let changed = try changed(before, by: action)
            try await requireNoLoss(changing: changed.members, in: app, at: before.instant, isCounting: true)
        }
        try await prepare(action, on: before.set.members, among: before.releases, in: app, by: author)
        return try await live.change(app) { () throws(PlatformError) in
            let facts = try await findSet(id, of: app)
            let now = facts.instant
            try require(precondition, of: facts.set.members[0])
            let changed = try changed(facts, by: action)
            if !isForced {
                try await requireNoLoss(changing: changed.members, in: app, at: now, isCounting: false)
            }
            let audit = author.audit(
                AuditAction(onSet: action.kind), "\(id)", in: app.id, at: now, action.details)
            try await live.store.changeReleases(changed.members, audit: audit)
            let changes = changed.members.map { Change($0, among: facts.releases[$0.package] ?? [], at: now) }
            let releases = changes.reduce(into: facts.releases) { $0[$1.release.package] = $1.releases }
            return (SetFacts(set: changed, releases: releases, instant: now), changes)
        }
    }

    /// The set after an action, with the rank of its moment.
    private func changed(_ facts: SetFacts, by action: ReleaseAction) throws(PlatformError) -> ReleaseSet {
        let changed = try facts.set.applying(
            action, in: facts.set.state(among: facts.releases, at: facts.instant), at: facts.instant)
        guard case .reschedule = action else { return changed }
        return changed.ranked(rank(of: changed, among: facts.releases))
    }

    /// Of its moment, free in each of its packages.
    private func rank(of set: ReleaseSet, among releases: [PackageID: [Release]]) -> Rank {
        let others = set.members.flatMap { member in
            (releases[member.package] ?? []).filter { $0.channel == set.channel && $0.id != member.id }
        }
        return Rank.assigned(
            createdAt: set.createdAt, activeTime: set.activeTime, taken: Set(others.map(\.rank)))
    }

    /// Takes a set back: its releases end, and a set of earlier versions begins for the same devices, right above them.
    ///
    /// Throws what ``apply(_:toSet:of:ifMatch:by:)`` throws, `conflict` where there is nothing to go back to for one of
    /// the packages, and what making a set throws.
    ///
    /// - Parameters:
    ///   - versions: What devices go back to; of a package that is not named, the version of the next lower release.
    ///   - isMandatory: Whether they have to.
    package func rollBack(
        set id: ReleaseSetID, of app: LiveApp, to versions: [PackageID: VersionString], isMandatory: Bool,
        isDryRun: Bool, ifMatch precondition: IfMatchPrecondition?, isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> SetRollBack {
        let facts = try await findSet(id, of: app)
        let (set, now) = (facts.set, facts.instant)
        try require(precondition, of: set.members[0])
        if let stranger = versions.keys.sorted().first(where: { name in !set.members.contains { $0.package == name } })
        {
            throw PlatformError(
                .invalidRequest, "Release set \(id) has no '\(stranger)': name versions of its own packages in 'to'.")
        }
        let ended = try set.applying(.rollBack, in: set.state(among: facts.releases, at: now), at: now)
        guard set.isActive(at: now), set.keepsDevices else {
            let losses = try await requireNoLoss(
                ending: ended.members, in: app, at: now, isForced: isForced, isDryRun: isDryRun)
            guard !isDryRun else { return canceled(ended, facts, isDryRun: true, losses: losses) }
            return try await cancel(id, of: app, losses: losses, ifMatch: precondition, isForced, by: author)
        }
        var intents: [Intent] = []
        for (member, ended) in zip(set.members, ended.members) {
            intents.append(
                try intent(
                    takingBack: member, as: ended, among: facts.releases[member.package] ?? [],
                    to: versions[member.package], isMandatory: isMandatory, at: now))
        }
        let parts = try await rollBack(
            Making(set: intents, isForced: isForced), isDryRun: isDryRun, of: app, at: now, by: author)
        return SetRollBack(begun: isDryRun ? nil : parts.first?.begun?.set?.id, parts: parts, isDryRun: isDryRun)
    }

    /// Ends a set that no device has got; throws `conflict` if devices may have got it since the first check.
    private func cancel(
        _ id: ReleaseSetID, of app: LiveApp, losses: LossReport,
        ifMatch precondition: IfMatchPrecondition?, _ isForced: Bool,
        by author: Operator
    ) async throws(PlatformError) -> SetRollBack {
        try await live.change(app) { () throws(PlatformError) in
            let facts = try await findSet(id, of: app)
            let (set, now) = (facts.set, facts.instant)
            try require(precondition, of: set.members[0])
            let ended = try set.applying(.rollBack, in: set.state(among: facts.releases, at: now), at: now)
            guard !set.isActive(at: now) || !set.keepsDevices else { throw Self.activeMeanwhile("Release set \(id)") }
            if !isForced { try await requireNoLoss(changing: ended.members, in: app, at: now, isCounting: false) }
            let audit = author.audit(.rollBackReleaseSet, "\(ended.id)", in: app.id, at: now)
            try await live.store.changeReleases(ended.members, audit: audit)
            return canceled(ended, facts, isDryRun: false, losses: losses)
        }
    }

    /// - Parameter facts: The set before its end.
    private func canceled(
        _ ended: ReleaseSet, _ facts: SetFacts, isDryRun: Bool, losses: LossReport
    ) -> SetRollBack {
        let parts = ended.members.map { ended in
            canceled(
                ended, among: facts.releases[ended.package] ?? [], isDryRun: isDryRun, at: facts.instant,
                losses: losses)
        }
        return SetRollBack(begun: nil, parts: parts, isDryRun: isDryRun)
    }
}
