import Domain
import Ground

/// The protection of channels: changes that start or widen releases need an approval (decision 0081).
///
/// These checks run within the change of the app, after the routes have asked for an approval. They also hold for a channel
/// that becomes protected during a request.
extension Releaser {
    /// Throws `conflict` unless the operator may make the releases of a request, and `approvalOutdated` if the approval is for
    /// another state.
    ///
    /// A rollback needs no approval.
    func requireClearance(
        of author: Operator, making request: ReleaseRequest, _ preview: ReleasePreview, in app: LiveApp
    ) async throws(PlatformError) {
        guard request.takingBack.isEmpty else { return }
        try await requireClearance(of: author, on: request.channel, of: app.id) {
            ApprovalBasis(
                making: ReleaseGroup(of: request, preview.releases), among: preview.before, at: preview.instant)
        }
    }

    /// Throws `conflict` unless the operator may widen a group, and `approvalOutdated` if the approval is for another state.
    func requireClearance(of author: Operator, changing status: Status) async throws(PlatformError) {
        let group = status.group
        try await requireClearance(of: author, on: group.channel, of: group.app) {
            ApprovalBasis(changing: group, at: status.instant)
        }
    }

    private func requireClearance(
        of author: Operator, on channel: ChannelName, of app: AppID, for basis: () -> ApprovalBasis
    ) async throws(PlatformError) {
        switch author.clearance {
        case .approved(let approval, _): try approval.require(basis())
        case .breakGlass: return
        case nil:
            // The server's own actions continue what was approved; a dry run keeps nothing.
            guard author.principal != nil, !author.isRehearsing else { return }
            guard let found = try await store.channel(channel, of: app), found.isProtected else { return }
            throw PlatformError(
                .conflict,
                "The channel '\(channel)' became protected during the request. Send the request again to ask for an approval."
            )
        }
    }

    /// Throws `conflict` if a rollback on a protected channel goes to a version that no release offers to the same devices: a
    /// rollback would otherwise release any version without an approval.
    func requireApprovedVersions(
        _ versions: [PackageID: VersionString], for status: Status
    ) async throws(PlatformError) {
        let (group, instant) = (status.group, status.instant)
        guard !versions.isEmpty, group.hasBegun(at: instant),
            let channel = try await store.channel(group.channel, of: group.app), channel.isProtected
        else { return }
        for release in group.members {
            guard let version = versions[release.package],
                !status.releases.lower(than: release, at: instant).contains(where: { $0.version == version })
            else { continue }
            throw PlatformError(
                .conflict,
                "The channel '\(group.channel)' is protected, and no lower release of '\(release.package)' offers \(version) to "
                    + "all devices of release \(release.id). Leave out 'to', or make a release of \(version), which a second "
                    + "person approves.")
        }
    }

    /// A change as it would be made, for the person who approves it.
    struct Rehearsal: Sendable {
        let status: Status
        let summary: String
        let change: AuditChange
        let basis: ApprovalBasis
    }

    /// Checks a request for releases as a dry run does, and returns its effect.
    func rehearse(
        _ request: ReleaseRequest, isForced: Bool, by author: Operator
    ) async throws(PlatformError) -> Rehearsal {
        let app = try live.requireApp(request.app)
        let preview = try await preview(request, of: app)
        let group = ReleaseGroup(of: request, preview.releases)
        let basis = ApprovalBasis(making: group, among: preview.before, at: preview.instant)
        let made = try await release(request, isForced: isForced, by: author.unclaiming.rehearsing)
        let instant = made.status.instant
        return Rehearsal(
            status: made.status, summary: ApprovalSummary.making(made.status.group, at: instant),
            change: .created(made.status.group.auditMembers(at: instant)), basis: basis)
    }

    /// Checks a change of a group as a dry run does, and returns its effect.
    ///
    /// - Parameter change: Makes the change.
    func rehearse(
        _ kind: ApprovalAction.Kind, of id: ReleaseGroup.ID, in app: LiveApp, by author: Operator,
        _ change: (Operator) async throws(PlatformError) -> Status
    ) async throws(PlatformError) -> Rehearsal {
        let before = try await find(id, of: app, toChangeBy: author)
        let after = try await change(author.unclaiming.rehearsing)
        let instant = after.instant
        return Rehearsal(
            status: after, summary: ApprovalSummary.changing(before.group, to: after.group, kind, at: instant),
            change: .changed(
                from: before.group.auditMembers(at: instant), to: after.group.auditMembers(at: instant)),
            basis: ApprovalBasis(changing: before.group, at: before.instant))
    }
}
