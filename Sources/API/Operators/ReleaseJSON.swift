import Domain
import Ground
import HTTP
import Platform

/// A release as operators are told of it.
struct ReleaseJSON {
    let release: Release
    /// All of its package.
    let releases: [Release]
    let instant: Timestamp
    /// The versions from which it offers no patch; `nil` if devices are not offered it, or the response does not say.
    let gaps: [PatchGap]?

    var state: ReleaseState { release.state(among: releases, at: instant) }

    /// What `If-Match` is compared with.
    var etag: String { "\"\(release.revision)\"" }

    func members() -> [JSON.Member] {
        let terms = release.terms
        let state = state
        var members: [JSON.Member] = [
            .init("id", .integer(release.id.value)), .init("package", .string(release.package.text)),
            .init("version", .string(release.version.text)), .init("channel", .string(release.channel.text)),
            .init("state", .string(state.rawValue)), .init("revision", .integer(release.revision)),
            .init("percent", release.percent(at: max(instant, release.activeTime)).json),
            .init("mandatory", .bool(release.isMandatory)), .init("updateMode", .string(terms.updateMode.rawValue)),
            .init("wifiOnly", .bool(terms.isWifiOnly)), .init("activeTime", .string(release.activeTime.rfc3339)),
            .init("createdAt", .string(release.createdAt.rfc3339)), .init("rank", .integer(release.rank.value)),
            // What is done to a set is done by its own routes.
            .init("allowed", .array(release.set == nil ? state.allowed.map { .string($0.rawValue) } : [])),
        ]
        if let set = release.set { members.append(.init("releaseSet", .integer(set.id.value))) }
        if !terms.rollout.steps.isEmpty {
            members.append(.init("plan", .array(terms.rollout.steps.map(\.shown))))
            if let next = release.nextStep(after: max(instant, release.activeTime)) {
                members.append(.init("nextStepAt", .string(next.rfc3339)))
            }
        }
        if let list = terms.audience.whitelist { members.append(.init("whitelist", .string(list.text))) }
        if let list = terms.audience.excluded { members.append(.init("excluded", .string(list.text))) }
        if !terms.audience.rules.isEmpty { members.append(.init("rules", .array(terms.audience.rules.map(\.json)))) }
        if let floor = terms.floor { members.append(.init("floor", floor.shown)) }
        if let window = terms.downloads { members.append(.init("downloads", window.shown)) }
        if let gaps {
            members.append(.init("patchesReady", .bool(gaps.arePatchesReady)))
            members.append(.init("noPatchFrom", .array(gaps.map(\.shown))))
        }
        return members
    }

    /// The other releases that hide it or are hidden by it.
    static func members(_ shadowing: Shadowing) -> [JSON.Member] {
        [.init("shadows", others(shadowing.shadows)), .init("shadowedBy", others(shadowing.shadowedBy))]
    }

    private static func others(_ others: [Shadowing.Other]) -> JSON {
        .array(
            others.map { other in
                .object([
                    "release": .integer(other.release.id.value), "version": .string(other.release.version.text),
                    "from": .string(other.from.rfc3339),
                ])
            })
    }

    /// What whoever made the release should know.
    var warnings: [String] {
        var warnings: [String] = []
        if !release.isForEveryone(at: max(instant, release.activeTime)), release.terms.floor?.withoutHave != .offer {
            warnings.append(
                "Clients that say nothing about themselves, as seed 000's, do not get this release before it is at 100 % "
                    + "and nothing else keeps devices out.")
        }
        return warnings
    }
}

extension PatchGap {
    fileprivate var shown: JSON {
        .object([
            "version": .string(base.text), "reason": .string(reason.rawValue), "note": .string(reason.sentence),
        ])
    }
}

extension BasisPoints {
    /// The percentage as a number.
    var json: JSON { value % 100 == 0 ? .integer(Int64(value / 100)) : .number(percent) }
}

extension Rollout.Step {
    /// As operators write it.
    fileprivate var shown: JSON {
        .object(["percent": percent.json, "after": .string(PlanDuration.text(after))])
    }
}

extension DownloadWindow {
    fileprivate var shown: JSON {
        .object([
            "from": .string(opensAt.rfc3339), "bytesPerSecond": .integer(bytesPerSecond), "devices": .integer(devices),
            "roundSeconds": .integer((round + 999) / 1000),
        ])
    }
}

extension Floor {
    fileprivate var shown: JSON {
        .object([
            "version": .string(version.text), "reason": .string(reason), "withoutHave": .string(withoutHave.rawValue),
        ])
    }
}
