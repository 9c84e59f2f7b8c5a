package import Domain
import Execution

extension DevicesSeen {
    /// With which percentage a release is looked at.
    package enum Reach: Sendable {
        /// What is reached now, or will be at its moment.
        case atMoment
        /// What its plan comes to in the end.
        case finally
    }

    /// How many of the devices that were seen on the release's channel it is for: now, or at its moment where that lies ahead.
    ///
    /// It need not have been made. Every rule counts, host builds, floor and dependencies among them; releases of higher
    /// rank do not. One count at a time: others wait.
    ///
    /// Throws `conflict` where no devices are noted, `appNotFound`, `channelNotFound`, `listNotFound`.
    package func count(
        for release: Release, _ reach: Reach = .atMoment
    ) async throws(PlatformError) -> AudienceCount {
        let app = try live.requireApp(release.app)
        guard isOn else {
            throw PlatformError(
                .conflict, "The server notes no devices, so there are none to count: start it without --devices-seen 0."
            )
        }
        return try await counting.pass { () throws(PlatformError) in
            let now = app.decisionInstant(clock.now())
            let instant = max(now, release.activeTime)
            var release = release
            if reach == .finally { release.terms.rollout = Rollout(percent: release.terms.rollout.final) }
            let yardstick = try await live.yardstick(for: release, at: instant)
            let place = SeenPlace(app: release.app, channel: release.channel)
            let tally = AudienceTally(
                yardstick, within: SeenWindow(endingAt: now),
                beginningWith: AudienceCount(
                    instant: instant, percent: release.percent(at: instant),
                    coverage: .init(since: try await store.seenPlaces()[place], figures: figures)))
            try await readPages(at: place) { tally.add($0) }
            return tally.count
        }
    }

    /// Reads all devices that were seen at a place, a page at a time, and passes each page on to a thread for work.
    func readPages(
        at place: SeenPlace, _ body: @Sendable ([SeenDevice]) -> Void
    ) async throws(PlatformError) {
        var last: DeviceKey?
        var page: [SeenDevice]
        repeat {
            page = try await store.seenDevices(at: place, after: last, upTo: Self.pageSize)
            last = page.last?.key
            await work.run { [page] in body(page) }
        } while page.count == Self.pageSize
    }
}
