package import Domain
import Ground

/// The changes of releases that their health rules and verdicts cause.
extension Releaser {
    /// Replaces the health rules of a release or a release set.
    ///
    /// Throws `forbidden`, `releaseNotFound`, `preconditionFailed` if the group is not in the state that `precondition` requires, and
    /// `conflict` if it has ended or if it names a release of a set.
    ///
    /// - Parameter policy: The rules; `nil` for none.
    package func judge(
        _ id: ReleaseGroup.ID, of app: LiveApp, by policy: HealthPolicy?, ifMatch precondition: IfMatchPrecondition?,
        author: Operator
    ) async throws(PlatformError) -> Status {
        try await live.change(app) { () throws(PlatformError) in
            let status = try await find(id, of: app, toChangeBy: author)
            try precondition?.require(
                String(status.group.revision), of: status.group.id.description, called: "revision")
            if case .release = id, let set = status.group.members[0].set {
                throw PlatformError(
                    .conflict, "\(id) belongs to release set \(set.id). Change the rules of the whole set.")
            }
            // An approval is for the rules that were there; the group may have none by now.
            if status.group.terms.health != nil || author.clearance != nil {
                try await requireClearance(of: author, changing: status)
            }
            var changed: [Release] = []
            for member in status.group.members { changed.append(try member.judged(by: policy, at: status.instant)) }
            return try await write(
                changed, of: status, as: (.judgeRelease, .judgeReleaseSet),
                policy.map { [.init("rules", $0.json)] } ?? [],
                by: author)
        }
    }

    /// Lets the plan of a release or a release set go on to the step that waits.
    ///
    /// Does nothing if no step waits. Throws `dependentsLost` if devices would lose releases of other packages.
    ///
    /// - Parameter steps: The devices that have reported by now, of each release.
    func advance(
        _ id: ReleaseGroup.ID, of app: LiveApp, steps: [ReleaseID: HealthStep]
    ) async throws(PlatformError) {
        try await live.change(app) { () throws(PlatformError) in
            let status = try await find(id, of: app)
            let changed = status.group.members.compactMap { $0.advanced(at: status.instant) }
            guard changed.count == status.group.members.count else { return }
            try await requireNoLoss(changing: changed, in: app, at: status.instant, isCounting: false)
            let percent = changed[0].percent(at: status.instant).percent
            _ = try await write(
                changed, of: status, as: (.advanceRelease, .advanceReleaseSet),
                [.init("percent", .string(percent))]
                    + status.group.ruleDropDetail(after: status.group.replacing(changed), at: status.instant),
                steps: steps,
                by: .server)
        }
    }

    private func write(
        _ changed: [Release], of status: Status, as actions: (release: AuditAction, set: AuditAction),
        _ details: [JSON.Member], steps: [ReleaseID: HealthStep] = [:], by author: Operator
    ) async throws(PlatformError) -> Status {
        let (group, instant) = (status.group, status.instant)
        let change = AuditChange.changed(
            from: group.auditMembers(at: instant), to: group.replacing(changed).auditMembers(at: instant))
        let audit =
            switch group.id {
            case .release(let id, let package):
                author.audit(
                    actions.release, "\(package)@\(group.members[0].version)", in: group.app, at: instant,
                    [.init("release", .integer(id.value))] + details, change: change)
            case .set(let id):
                author.audit(actions.set, "\(id)", in: group.app, at: instant, details, change: change)
            }
        try await store.changeReleases(changed, steps: steps, audit: audit)
        let after = status.releases.with(changed)
        return Status(group: group.replacing(changed), releases: after, instant: instant)
    }
}
