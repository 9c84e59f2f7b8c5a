import Domain
import Ground
import Platform

/// A release set as operators are told of it.
struct ReleaseSetJSON {
    let facts: Releaser.SetFacts
    /// By release, the versions from which it offers no patch; empty if the response does not say.
    var gaps: [ReleaseID: [PatchGap]] = [:]

    var etag: String { "\"\(facts.set.revision)\"" }

    /// - Parameter more: What is said of each of its releases besides, in their order.
    func members(_ more: [[JSON.Member]] = []) -> [JSON.Member] {
        let (set, instant) = (facts.set, facts.instant)
        let state = set.state(among: facts.releases, at: instant)
        return [
            .init("id", .integer(set.id.value)), .init("channel", .string(set.channel.text)),
            .init("state", .string(state.rawValue)), .init("revision", .integer(set.revision)),
            .init("percent", set.percent(at: max(instant, set.activeTime)).json),
            .init("activeTime", .string(set.activeTime.rfc3339)),
            .init("createdAt", .string(set.createdAt.rfc3339)), .init("rank", .integer(set.rank.value)),
            .init("allowed", .array(state.allowed.map { .string($0.rawValue) })),
            .init(
                "releases",
                .array(
                    set.members.enumerated().map { index, member in
                        .object(json(member).members() + (more.indices.contains(index) ? more[index] : []))
                    })),
        ]
    }

    /// What whoever made the set should know.
    var warnings: [String] {
        facts.set.members.reduce(into: []) { warnings, member in
            for warning in json(member).warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
    }

    private func json(_ member: Release) -> ReleaseJSON {
        ReleaseJSON(
            release: member, releases: facts.releases[member.package] ?? [], instant: facts.instant,
            gaps: gaps[member.id])
    }
}
