package import Domain
package import Ground

extension Releaser {
    /// The result of taking a group of releases back.
    package struct RollBack: Sendable {
        /// The group in its ended state.
        package let ended: ReleaseGroup
        /// The group that replaces it; `nil` if no device has got the group.
        ///
        /// Its ids are meaningless in a dry run.
        package let begun: ReleaseGroup?
        package let isDryRun: Bool
        /// All releases of the packages afterwards.
        package let releases: ChannelReleases
        /// The releases of other packages that devices lose.
        package let losses: LossReport
        package let instant: Timestamp
        package let packagesWithoutPatches: Set<PackageID>
    }

    /// Performs an action on a release or a release set, except a rollback.
    ///
    /// Throws `forbidden`, `releaseNotFound`, `preconditionFailed` if the group is not in the state that `precondition` requires,
    /// `dependentsLost` unless forced, and the errors of ``ChannelReleases/changing(_:by:at:)``.
    package func apply(
        _ action: ReleaseAction, to id: ReleaseGroup.ID, of app: LiveApp, ifMatch precondition: IfMatchPrecondition?,
        isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> Status {
        let first = try await find(id, of: app, toChangeBy: author)
        try requireWhole(first.group, for: action.kind)
        if !isForced {
            try require(precondition, of: first.group)
            let changed = try first.releases.changing(first.group, by: action, at: first.instant)
            try await requireNoLoss(changing: changed.members, in: app, at: first.instant, isCounting: true)
        }
        try await prepare(action, on: first, by: author)
        return try await live.change(app) { () throws(PlatformError) in
            let status = try await find(id, of: app, toChangeBy: author)
            try require(precondition, of: status.group)
            if action.kind.approval != nil { try await requireClearance(of: author, changing: status) }
            let changed = try status.releases.changing(status.group, by: action, at: status.instant)
            if !isForced {
                try await requireNoLoss(changing: changed.members, in: app, at: status.instant, isCounting: false)
            }
            try await store.changeReleases(
                changed.members, audit: Self.audit(action, on: changed, after: status, by: author))
            return Status(
                group: changed, releases: status.releases.with(changed.members), instant: status.instant)
        }
    }

    private static func audit(
        _ action: ReleaseAction, on group: ReleaseGroup, after status: Status, by author: Operator
    ) -> AuditEntry {
        let instant = status.instant
        let change = AuditChange.changed(
            from: status.group.auditMembers(at: instant), to: group.auditMembers(at: instant))
        let details = action.details + status.group.ruleDropDetail(after: group, at: instant)
        return switch group.id {
        case .release(let id, let package):
            author.audit(
                AuditAction(action.kind), "\(package)@\(group.members[0].version)", in: group.app, at: instant,
                [.init("release", .integer(id.value))] + details, change: change)
        case .set(let id):
            author.audit(AuditAction(onSet: action.kind), "\(id)", in: group.app, at: instant, details, change: change)
        }
    }

    /// Makes the archives of the versions that an action brings back, for dialects that were turned on meanwhile.
    ///
    /// A failure does not delay the action: the clients of these dialects then get no offer.
    private func prepare(
        _ action: ReleaseAction, on status: Status, by author: Operator
    ) async throws(PlatformError) {
        let (releases, now) = (status.releases, status.instant)
        guard action == .halt || action == .resume,
            let changed = try? releases.changing(status.group, by: action, at: now)
        else { return }
        let after = releases.with(changed.members)
        for name in status.group.packages {
            guard let package = try await store.package(name, in: status.group.app), !package.dialects.isEmpty
            else { continue }
            let before = Set(releases.offered(of: name, at: now).map(\.version))
            for other in after.offered(of: name, at: now) where !before.contains(other.version) {
                try? await dialects.prepare(other.version, of: package, by: author)
            }
        }
    }

    /// Takes a release or a release set back: it ends, and earlier versions are released right above it.
    ///
    /// The new releases are for the same devices. Throws the errors of ``apply(_:to:of:ifMatch:isForced:by:)`` and
    /// ``ChannelReleases/takingBack(_:to:isMandatory:at:)``, and those of making releases.
    ///
    /// - Parameters:
    ///   - versions: The versions that devices go back to; other packages go back to the version of the next lower
    ///     release.
    ///   - isMandatory: Whether devices must go back before they open the package.
    package func rollBack(
        _ id: ReleaseGroup.ID, of app: LiveApp, to versions: [PackageID: VersionString] = [:], isMandatory: Bool,
        isDryRun: Bool, ifMatch precondition: IfMatchPrecondition?, isForced: Bool = false, by author: Operator
    ) async throws(PlatformError) -> RollBack {
        let status = try await find(id, of: app, toChangeBy: author)
        try requireWhole(status.group, for: .rollBack)
        try require(precondition, of: status.group)
        let now = status.instant
        try await requireApprovedVersions(versions, for: status)
        let rollback = try status.releases.takingBack(status.group, to: versions, isMandatory: isMandatory, at: now)
        switch rollback {
        case .cancellation(let ended):
            let losses = try await requireNoLoss(
                ending: ended.members, in: app, at: now, isForced: isForced, isDryRun: isDryRun)
            guard !isDryRun else { return canceled(ended, status, isDryRun: true, losses: losses) }
            return try await cancel(id, of: app, losses: losses, ifMatch: precondition, isForced, by: author)
        case .replacement(let request):
            let preview = try await preview(request, of: app)
            let losses = try await losses(
                changing: preview.changed, in: app, at: preview.instant, isCounting: isDryRun)
            let ended = ReleaseGroup(of: request, request.takingBack)
            guard isDryRun else {
                let made = try await release(request, isForced: isForced, by: author)
                return RollBack(
                    ended: ended, begun: made.status.group, isDryRun: false, releases: made.status.releases,
                    losses: losses, instant: now, packagesWithoutPatches: made.packagesWithoutPatches)
            }
            let unready = preview.releases.filter { !preview.arePatchesReady(for: $0) }
            return RollBack(
                ended: ended, begun: ReleaseGroup(of: request, preview.releases), isDryRun: true,
                releases: preview.after, losses: losses, instant: now,
                packagesWithoutPatches: Set(unready.map(\.package)))
        }
    }

    /// Ends a group that no device has got; throws `conflict` if devices may have got it since the first check.
    private func cancel(
        _ id: ReleaseGroup.ID, of app: LiveApp, losses: LossReport, ifMatch precondition: IfMatchPrecondition?,
        _ isForced: Bool, by author: Operator
    ) async throws(PlatformError) -> RollBack {
        try await live.change(app) { () throws(PlatformError) in
            let status = try await find(id, of: app)
            try require(precondition, of: status.group)
            let ended = try status.releases.changing(status.group, by: .rollBack, at: status.instant)
            guard !status.group.hasBegun(at: status.instant) else { throw Self.activeMeanwhile(id) }
            if !isForced {
                try await requireNoLoss(changing: ended.members, in: app, at: status.instant, isCounting: false)
            }
            try await store.changeReleases(
                ended.members, audit: Self.audit(.rollBack, on: ended, after: status, by: author))
            return canceled(ended, status, isDryRun: false, losses: losses)
        }
    }

    /// Creates the conflict of a rollback whose group became active during the request.
    private static func activeMeanwhile(_ id: ReleaseGroup.ID) -> PlatformError {
        var subject = id.description
        if case .release(_, let package) = id { subject += " of '\(package)'" }
        return PlatformError(
            .conflict,
            "\(subject) became active during the request, so its devices need a version to go back to. Repeat the request."
        )
    }

    /// - Parameter status: The group before its end.
    private func canceled(
        _ ended: ReleaseGroup, _ status: Status, isDryRun: Bool, losses: LossReport
    ) -> RollBack {
        RollBack(
            ended: ended, begun: nil, isDryRun: isDryRun, releases: status.releases.with(ended.members),
            losses: losses, instant: status.instant, packagesWithoutPatches: [])
    }

    private func require(_ precondition: IfMatchPrecondition?, of group: ReleaseGroup) throws(PlatformError) {
        try precondition?.require(String(group.revision), of: group.id.description, called: "revision")
    }

    /// Throws `conflict` for a release of a set that is named individually.
    private func requireWhole(_ group: ReleaseGroup, for action: ReleaseAction.Kind) throws(PlatformError) {
        guard case .release = group.id, let set = group.members[0].set else { return }
        throw PlatformError(
            .conflict, "\(group.id) belongs to release set \(set.id). Change the whole set:",
            remedy: .change(set.id, by: action, of: group.app))
    }
}

extension ReleaseAction {
    /// The details of the action in the audit log.
    fileprivate var details: [JSON.Member] {
        switch self {
        case .widen(let percent, _): percent.map { [.init("percent", .string($0.percent))] } ?? []
        case .reschedule(let moment): [.init("activeTime", .string(moment.rfc3339))]
        case .pause, .resume, .halt, .complete, .rollBack: []
        }
    }
}
