import Domain
import Ground
import Platform

/// The state of a package on one channel, as the list of packages represents it.
struct PackageChannelJSON {
    let package: Package
    let channel: ChannelName
    let open: OpenReleases
    let published: PublishedCount?

    var json: JSON {
        let offer = open.offer(of: package.id, on: channel)
        let online = package.onlineUntil.flatMap { $0 > open.instant ? $0 : nil }
        return .object([
            "everyone": offer.everyone.map { .object(named($0)) } ?? .null,
            "inFlight": .array(offer.inFlight.map { .object(inFlight($0)) }),
            "onlineUntil": online.map { .string($0.rfc3339) } ?? .null,
            "versions": .integer(Int64(published?.versions ?? 0)),
            "lastPublishedAt": (published?.lastPublishedAt).map { .string($0.rfc3339) } ?? .null,
        ])
    }

    private func named(_ release: Release) -> [JSON.Member] {
        [.init("release", .integer(release.id.value)), .init("version", .string(release.version.text))]
    }

    private func inFlight(_ release: Release) -> [JSON.Member] {
        let instant = max(open.instant, release.activeTime)
        var members = named(release)
        members.append(.init("state", .string(open.state(of: release).rawValue)))
        members.append(.init("percent", release.percent(at: instant).json))
        members.append(.init("activeTime", .string(release.activeTime.rfc3339)))
        if let next = release.nextStep(after: instant) {
            members.append(.init("nextStepAt", .string(next.rfc3339)))
        }
        return members
    }
}
