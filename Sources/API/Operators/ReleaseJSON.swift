import Domain
import Ground

/// A release as the operators' API represents it.
struct ReleaseJSON {
    let release: Release
    /// The releases of its package.
    let releases: [Release]
    let instant: Timestamp
    /// The versions from which it offers no patch; `nil` if devices are not offered it, or the response omits them.
    let gaps: [PatchGap]?
    /// The latest verdict on its health; `nil` if it is not judged, or was not judged yet.
    var verdict: JSON?

    func members() -> [JSON.Member] {
        let terms = release.terms(at: max(instant, release.activeTime))
        let state = release.state(among: releases, at: instant)
        var members: [JSON.Member] = [
            .init("id", .integer(release.id.value)), .init("package", .string(release.package.text)),
            .init("version", .string(release.version.text)), .init("channel", .string(release.channel.text)),
            .init("state", .string(state.rawValue)), .init("revision", .integer(release.revision)),
            .init("percent", release.percent(at: max(instant, release.activeTime)).json),
        ]
        members += terms.commonMembers
        members += [
            .init("activeTime", .string(release.activeTime.rfc3339)),
            .init("createdAt", .string(release.createdAt.rfc3339)), .init("rank", .integer(release.rank.value)),
            // The routes of the set change a release of a set.
            .init(
                "allowed",
                .array(release.set == nil ? release.allowed(in: state, at: instant).map { .string($0.rawValue) } : [])),
        ]
        if release.neverBegan { members.append(.init("neverBegan", true)) }
        if let set = release.set { members.append(.init("releaseSet", .integer(set.id.value))) }
        members += terms.planMembers
        if let next = release.nextStep(after: max(instant, release.activeTime)) {
            members.append(.init("nextStepAt", .string(next.rfc3339)))
        }
        if let next = release.nextHeldStep(after: max(instant, release.activeTime)) {
            members.append(.init("nextStepFrom", .string(next.rfc3339)))
        }
        members += terms.conditionMembers
        if let verdict { members.append(.init("verdict", verdict)) }
        if let gaps {
            members.append(.init("patchesReady", .bool(gaps.arePatchesReady)))
            members.append(.init("noPatchFrom", .array(gaps.map(\.json))))
        }
        return members
    }

    /// The warnings for the operator who made the release.
    var warnings: [ReleaseWarning] {
        if release.isForClientsWithoutFacts(at: max(instant, release.activeTime)) { return [] }
        return [release.reachesClientsWithoutFactsAtEnd ? .clientsWithoutFactsAtEnd : .clientsWithoutFacts]
    }
}

/// A warning for the operator who made a release.
enum ReleaseWarning: String, CaseIterable {
    /// Clients that send no facts do not get the release, not even at the end of its plan.
    case clientsWithoutFacts = "clients-without-facts"
    /// Clients that send no facts get the release at the last step of its plan.
    case clientsWithoutFactsAtEnd = "clients-without-facts-at-end"

    var sentence: String {
        switch self {
        case .clientsWithoutFacts:
            Self.clients
                + "only at 100 %, without audience rules and an exclusion list, and if no floor or requirement "
                + "of the version excludes them."
        case .clientsWithoutFactsAtEnd: Self.clients + "at the last step of the plan."
        }
    }

    /// The beginning of both sentences.
    private static let clients =
        "Old clients that send no facts about the device (such as those of the protocol seed 000) get this release "
}

extension PatchGap {
    fileprivate var json: JSON {
        .object([
            "version": .string(base.text), "reason": .string(reason.rawValue), "note": .string(reason.sentence),
        ])
    }
}
