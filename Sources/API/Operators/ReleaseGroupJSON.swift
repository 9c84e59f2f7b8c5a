import Domain
import Ground
import Platform

/// A release or a release set as the operators' API represents it.
struct ReleaseGroupJSON {
    let status: Releaser.Status
    /// By release, the versions from which it offers no patch; empty if the response does not say.
    var gaps: [ReleaseID: [PatchGap]] = [:]
    /// By release, the latest verdict on its health.
    var verdicts: [ReleaseID: JSON] = [:]

    /// The tag that `If-Match` is compared with.
    var etag: String { "\"\(status.group.revision)\"" }

    /// - Parameter more: Further members of each release, in their order.
    func members(_ more: [[JSON.Member]] = []) -> [JSON.Member] {
        let (group, instant) = (status.group, status.instant)
        let releases = zip(group.members, more + group.members.dropFirst(more.count).map { _ in [] }).map {
            json($0).members() + $1
        }
        guard case .set(let id) = group.id else { return releases[0] }
        let state = status.state
        return [
            .init("id", .integer(id.value)), .init("channel", .string(group.channel.text)),
            .init("state", .string(state.rawValue)), .init("revision", .integer(group.revision)),
            .init("percent", group.percent(at: max(instant, group.activeTime)).json),
            .init("activeTime", .string(group.activeTime.rfc3339)),
            .init("createdAt", .string(group.createdAt.rfc3339)), .init("rank", .integer(group.rank.value)),
            .init(
                "allowed",
                .array(group.members[0].allowed(in: state, at: instant).map { .string($0.rawValue) })),
        ]
            + (group.members[0].neverBegan ? [.init("neverBegan", true)] : [])
            + [.init("releases", .array(releases.map { .object($0) }))]
    }

    /// The warnings for the operator who made the releases.
    var warnings: [ReleaseWarning] {
        status.group.members.reduce(into: []) { warnings, member in
            for warning in json(member).warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
    }

    /// For each release, the members with the releases that it hides or that hide it.
    var shadowing: [[JSON.Member]] {
        status.group.members.map { release in
            let shadowing = Shadowing(of: release, among: status.releases[release.package], at: status.instant)
            return [
                .init("shadows", others(shadowing.shadows)), .init("shadowedBy", others(shadowing.shadowedBy)),
            ]
        }
    }

    /// For each release, the members with the consequence of a halt for its devices.
    var fallbacks: [[JSON.Member]] {
        status.group.members.map { release in
            let fallback = status.releases.fallback(of: release, at: status.instant)
            return [
                .init(
                    "note",
                    .string(
                        "Devices whose 'have' contains \(release.version) keep it. Devices that send no 'have', such as "
                            + "clients of seed 000, "
                            + (fallback.map {
                                "go back to the next lower release that matches them, first \($0.version)."
                            }
                                ?? "get no update until another release matches them, and keep what they have."))),
                .init("fallsBackTo", fallback.map { .integer($0.id.value) } ?? .null),
                .init("fallsBackToVersion", fallback.map { .string($0.version.text) } ?? .null),
            ]
        }
    }

    private func others(_ others: [Shadowing.Other]) -> JSON {
        .array(
            others.map { other in
                .object([
                    "release": .integer(other.release.id.value), "version": .string(other.release.version.text),
                    "from": .string(other.from.rfc3339),
                ])
            })
    }

    private func json(_ member: Release) -> ReleaseJSON {
        ReleaseJSON(
            release: member, releases: status.releases[member.package], instant: status.instant,
            gaps: gaps[member.id], verdict: verdicts[member.id])
    }
}

extension Releaser.RollBack {
    var members: [JSON.Member] {
        guard case .set = ended.id else { return part(of: ended.members[0]) + losses.members }
        var number: Int64?
        if !isDryRun, case .set(let id)? = begun?.id { number = id.value }
        let packages = ended.members.map { release in
            JSON.object([.init("package", .string(release.package.text))] + part(of: release))
        }
        return [
            .init("dryRun", .bool(isDryRun)), .init("begun", number.map { .integer($0) } ?? .null),
            .init("packages", .array(packages)),
        ] + losses.members
    }

    private func part(of ended: Release) -> [JSON.Member] {
        let begun = begun?.members.first { $0.package == ended.package }
        let offered = releases.offered(of: ended.package, at: instant)
        return [
            .init("dryRun", .bool(isDryRun)),
            .init("ended", .object(["release": .integer(ended.id.value), "version": .string(ended.version.text)])),
            .init("begun", begun.map { .object(json($0)) } ?? .null),
            .init("patchesReady", .bool(!packagesWithoutPatches.contains(ended.package))),
            .init("offered", .array(offered.map { .object(json($0)) })),
        ]
    }

    /// Returns the members that describe a release and its devices.
    private func json(_ release: Release) -> [JSON.Member] {
        [
            .init("release", release.id == .unassigned ? .null : .integer(release.id.value)),
            .init("version", .string(release.version.text)),
            .init("percent", release.percent(at: max(instant, release.activeTime)).json),
            .init("to", .string(release.audience(at: max(instant, release.activeTime)).words)),
        ]
    }
}

extension Audience {
    /// The devices of the audience, in words.
    fileprivate var words: String {
        var parts = rules.map(\.description)
        if let excluded { parts.append("not on the list '\(excluded)'") }
        let ruled = parts.isEmpty ? "all devices" : "devices with " + parts.joined(separator: " and ")
        return whitelist.map { "\(ruled), within the percentage or on the list '\($0)'" } ?? ruled
    }
}
