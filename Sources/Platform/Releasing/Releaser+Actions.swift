package import Domain
package import Ground

extension Releaser {
    /// A release that was changed, with the others of its package as they then are.
    package struct Change: Sendable {
        package let release: Release
        package let releases: [Release]
        package let instant: Timestamp
        package let shadowing: Shadowing

        init(_ release: Release, among others: [Release], at instant: Timestamp) {
            self.release = release
            releases = others.map { $0.id == release.id ? release : $0 }
            self.instant = instant
            shadowing = Shadowing(of: release, among: releases, at: instant)
        }
    }

    /// What taking a release back comes to.
    package struct RollBack: Sendable {
        /// The release as it was taken back, or would be.
        package let ended: Release
        /// What takes its place; as it would be, under a number that means nothing, in a dry run.
        ///
        /// `nil` where its moment has not come: nobody has to go back.
        package let begun: Release?
        package let isDryRun: Bool
        /// What devices may get afterwards, in the order in which it is looked at.
        package let offered: [Release]
        /// The releases of other packages that devices lose by it.
        package let losses: LossReport
        package let instant: Timestamp
        package let arePatchesReady: Bool
    }

    /// The releases of a package, and the one that is meant; throws `releaseNotFound`.
    package func find(_ id: ReleaseID, of package: Package) async throws(PlatformError) -> (Release, [Release]) {
        let releases = try await live.store.releases(of: package.id, in: package.app)
        guard let release = releases.first(where: { $0.id == id }) else {
            throw PlatformError(
                .releaseNotFound,
                "'\(package.id)' has no release \(id); see which there are: GET "
                    + "/api/v1/apps/\(package.app)/packages/\(package.id)/releases.")
        }
        return (release, releases)
    }

    /// Does something to a release; a roll-back has a call of its own.
    ///
    /// Throws `releaseNotFound`, `preconditionFailed` if the release is not in the state that `precondition` requires,
    /// `dependentsLost` unless it is forced, and what ``Release/applying(_:in:at:)`` throws.
    package func apply(
        _ action: ReleaseAction, to id: ReleaseID, of package: Package, ifMatch precondition: IfMatchPrecondition?,
        isForced: Bool = false,
        by author: Operator
    ) async throws(PlatformError) -> Change {
        let app = try live.requireApp(package.app)
        let (first, others) = try await find(id, of: package)
        try requireOwn(first, for: action.kind)
        if !isForced {
            try require(precondition, of: first)
            let now = app.decisionInstant(clock.now())
            let changed = try Self.changed(first, by: action, among: others, at: now)
            try await requireNoLoss(changing: [changed], in: app, at: now, isCounting: true)
        }
        try await prepare(action, on: [first], among: [package.id: others], in: app, by: author)
        return try await live.change(app) { () throws(PlatformError) in
            let (release, releases) = try await find(id, of: package)
            try require(precondition, of: release)
            let now = app.decisionInstant(clock.now())
            let changed = try Self.changed(release, by: action, among: releases, at: now)
            if !isForced { try await requireNoLoss(changing: [changed], in: app, at: now, isCounting: false) }
            let audit = author.audit(
                AuditAction(action.kind), "\(package.id)@\(release.version)", in: package.app, at: now,
                [.init("release", .integer(id.value))] + action.details)
            try await live.store.changeReleases([changed], audit: audit)
            return Change(changed, among: releases, at: now)
        }
    }

    /// The release after an action, with the rank of its moment.
    private static func changed(
        _ release: Release, by action: ReleaseAction, among releases: [Release], at now: Timestamp
    ) throws(PlatformError) -> Release {
        var changed = try release.applying(action, in: release.state(among: releases, at: now), at: now)
        if case .reschedule = action {
            let others = releases.filter { $0.channel == release.channel && $0.id != release.id }
            changed.rank = Rank.assigned(
                createdAt: release.createdAt, activeTime: changed.activeTime, taken: Set(others.map(\.rank)))
        }
        return changed
    }

    /// Makes the archives of versions that an action brings back, for clients of dialects that were turned on meanwhile.
    ///
    /// What cannot be made holds up no halt: these clients then are told of nothing.
    ///
    /// - Parameters:
    ///   - changing: What is changed as one.
    ///   - releases: By package, all of each.
    func prepare(
        _ action: ReleaseAction, on changing: [Release], among releases: [PackageID: [Release]], in app: LiveApp,
        by author: Operator
    ) async throws(PlatformError) {
        guard action == .halt || action == .resume else { return }
        let now = app.decisionInstant(clock.now())
        for release in changing {
            let own = releases[release.package] ?? []
            guard let package = try await live.store.package(release.package, in: app.id), !package.dialects.isEmpty,
                let changed = try? release.applying(action, in: release.state(among: own, at: now), at: now)
            else { continue }
            let after = own.map { $0.id == release.id ? changed : $0 }
            let before = Set(offered(own, on: release.channel, at: now).map(\.version))
            for other in offered(after, on: release.channel, at: now) where !before.contains(other.version) {
                try? await dialects.prepare(other.version, of: package, by: author)
            }
        }
    }

    /// Takes a release back: it ends, and one of an earlier version begins for the same devices, right above it.
    ///
    /// Throws what ``apply(_:to:of:ifMatch:by:)`` throws, `conflict` where there is nothing to go back to, and what
    /// making a release throws.
    ///
    /// - Parameters:
    ///   - version: What devices go back to; `nil` for the version of the next lower release.
    ///   - isMandatory: Whether they have to.
    package func rollBack(
        _ id: ReleaseID, of package: Package, to version: VersionString?, isMandatory: Bool, isDryRun: Bool,
        ifMatch precondition: IfMatchPrecondition?, isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> RollBack {
        let app = try live.requireApp(package.app)
        let (release, releases) = try await find(id, of: package)
        try requireOwn(release, for: .rollBack)
        try require(precondition, of: release)
        let now = app.decisionInstant(clock.now())
        let ended = try release.applying(.rollBack, in: release.state(among: releases, at: now), at: now)
        guard release.isActive(at: now), release.keepsDevices else {
            let losses = try await requireNoLoss(
                ending: [ended], in: app, at: now, isForced: isForced, isDryRun: isDryRun)
            guard !isDryRun else {
                return canceled(ended, among: releases, isDryRun: true, at: now, losses: losses)
            }
            return try await cancel(
                id, of: package, in: app, losses: losses, ifMatch: precondition, isForced, by: author)
        }
        let making = Making(
            try intent(takingBack: release, as: ended, among: releases, to: version, isMandatory: isMandatory, at: now),
            isForced: isForced)
        return try await rollBack(making, isDryRun: isDryRun, of: app, at: now, by: author)[0]
    }

    /// Takes back what the intents say, one of each package, or says what would come of it.
    func rollBack(
        _ making: Making, isDryRun: Bool, of app: LiveApp, at now: Timestamp, by author: Operator
    ) async throws(PlatformError) -> [RollBack] {
        let ended = making.intents.compactMap(\.takingBack)
        let first = try await plans(making, of: app)
        let losses = try await losses(by: first, of: making, in: app, isCounting: isDryRun)
        if isDryRun {
            return zip(ended, first).map { ended, plan in
                RollBack(
                    ended: ended, begun: plan.release, isDryRun: true,
                    offered: offered(plan.before + [plan.release], on: ended.channel, at: now), losses: losses,
                    instant: now,
                    arePatchesReady: plan.missing.allSatisfy { $0.target != plan.release.version })
            }
        }
        return zip(ended, try await release(making, by: author)).map { ended, made in
            RollBack(
                ended: ended, begun: made.release, isDryRun: false,
                offered: offered(made.releases, on: ended.channel, at: now), losses: losses, instant: now,
                arePatchesReady: made.arePatchesReady)
        }
    }

    /// What takes the place of a release; throws `conflict` where there is nothing to go back to.
    ///
    /// - Parameter version: `nil` for the version of the next lower release.
    func intent(
        takingBack release: Release, as ended: Release, among releases: [Release], to version: VersionString?,
        isMandatory: Bool, at now: Timestamp
    ) throws(PlatformError) -> Intent {
        guard let target = version ?? release.lower(among: releases, at: now)?.version else {
            throw PlatformError(
                .conflict,
                "There is no earlier release of '\(release.package)' that all of its devices may get: name a version with "
                    + "'to', or halt the release.")
        }
        guard target != release.version else {
            throw PlatformError(
                .conflict,
                "Release \(release.id) of '\(release.package)' is of \(target) itself: name another version with 'to'.")
        }
        let terms = ReleaseTerms(
            audience: release.terms.audience, rollout: Rollout(percent: release.percent(at: now)),
            salt: release.terms.salt, isMandatory: isMandatory, updateMode: release.terms.updateMode,
            isWifiOnly: release.terms.isWifiOnly)
        let draft = ReleaseDraft(
            app: release.app, package: release.package, channel: release.channel, version: target, terms: terms,
            activeTime: nil)
        return Intent(draft: draft, takingBack: ended)
    }

    /// Ends a release that no device has got; throws `conflict` if devices may have got it since the first check.
    private func cancel(
        _ id: ReleaseID, of package: Package, in app: LiveApp, losses: LossReport,
        ifMatch precondition: IfMatchPrecondition?,
        _ isForced: Bool, by author: Operator
    ) async throws(PlatformError) -> RollBack {
        try await live.change(app) { () throws(PlatformError) in
            let (release, releases) = try await find(id, of: package)
            try require(precondition, of: release)
            let now = app.decisionInstant(clock.now())
            let ended = try release.applying(.rollBack, in: release.state(among: releases, at: now), at: now)
            guard !release.isActive(at: now) || !release.keepsDevices else {
                throw Self.activeMeanwhile("Release \(id) of '\(package.id)'")
            }
            if !isForced { try await requireNoLoss(changing: [ended], in: app, at: now, isCounting: false) }
            let audit = author.audit(
                .rollBackRelease, "\(ended.package)@\(ended.version)", in: ended.app, at: now,
                [.init("release", .integer(ended.id.value))])
            try await live.store.changeReleases([ended], audit: audit)
            return canceled(ended, among: releases, isDryRun: false, at: now, losses: losses)
        }
    }

    /// The conflict of a roll-back that found its release or set scheduled, and then active.
    static func activeMeanwhile(_ subject: String) -> PlatformError {
        PlatformError(
            .conflict,
            "\(subject) became active during the request, so its devices need a version to go back to: ask again.")
    }

    func canceled(
        _ ended: Release, among releases: [Release], isDryRun: Bool, at now: Timestamp, losses: LossReport
    ) -> RollBack {
        let left = releases.filter { $0.id != ended.id }
        return RollBack(
            ended: ended, begun: nil, isDryRun: isDryRun, offered: offered(left, on: ended.channel, at: now),
            losses: losses, instant: now, arePatchesReady: true)
    }

    func offered(
        _ releases: [Release], on channel: ChannelName, at instant: Timestamp
    ) -> [Release] {
        PatchPlan.offered(releases.filter { $0.channel == channel }, at: instant)
    }

    func require(_ precondition: IfMatchPrecondition?, of release: Release) throws(PlatformError) {
        let subject = release.set.map { "Release set \($0.id)" } ?? "Release \(release.id)"
        try precondition?.require(String(release.revision), of: subject, called: "revision")
    }

    /// Throws `conflict` for a release of a set.
    private func requireOwn(_ release: Release, for action: ReleaseAction.Kind) throws(PlatformError) {
        guard let set = release.set else { return }
        let path = "/api/v1/apps/\(release.app)/release-sets/\(set.id)"
        let route =
            switch action {
            case .widen, .reschedule: "PATCH \(path)"
            case .pause, .resume, .halt, .complete, .rollBack: "POST \(path)/\(action.rawValue)"
            }
        throw PlatformError(
            .conflict,
            "Release \(release.id) belongs to release set \(set.id), which is changed as a whole: \(route).")
    }
}

extension Release {
    /// The highest release of another version that every device of this one may get: one for everyone, or for the same
    /// devices at least.
    fileprivate func lower(among releases: [Release], at instant: Timestamp) -> Release? {
        releases.filter { other in
            guard other.channel == channel, other.rank < rank, other.version != version, !other.hasEnded,
                !other.isHalted, other.isActive(at: instant)
            else { return false }
            let isSame =
                other.terms.audience == terms.audience && other.terms.floor == terms.floor
                && (other.percent(at: instant) == .all
                    || other.terms.salt == terms.salt && other.percent(at: instant) >= percent(at: instant))
            return other.isForEveryone(at: instant) || isSame
        }.max { $0.rank < $1.rank }
    }
}

extension ReleaseAction {
    /// What the audit log says beside the action.
    var details: [JSON.Member] {
        switch self {
        case .widen(let percent): [.init("percent", .string(percent.percent))]
        case .reschedule(let moment): [.init("activeTime", .string(moment.rfc3339))]
        case .pause, .resume, .halt, .complete, .rollBack: []
        }
    }
}
