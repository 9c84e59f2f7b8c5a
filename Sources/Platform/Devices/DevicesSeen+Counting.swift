package import Domain
import Execution

extension DevicesSeen {
    /// The point of its plan at which a release is evaluated.
    package enum Reach: Sendable {
        /// The point that is reached now, or at the start of a scheduled release.
        case atMoment
        /// The end of the release's plan: its final percentage, without the rules if they do not apply there.
        case finally
    }

    /// Counts the seen devices in the audience of a release, now or at its `activeTime`.
    ///
    /// The release may be a draft. Every rule counts, including host builds, floor and dependencies; releases of higher
    /// rank do not. One count runs at a time, further ones wait.
    ///
    /// Throws `conflict` if the server records no devices, `appNotFound`, `channelNotFound`, `listNotFound`.
    package func count(
        for release: Release, _ reach: Reach = .atMoment
    ) async throws(PlatformError) -> AudienceCount {
        let app = try live.requireApp(release.app)
        try requireOn()
        return try await counting.pass { () throws(PlatformError) in
            let now = app.decisionInstant(clock.now())
            let instant = max(now, release.activeTime)
            var release = release
            if reach == .finally { release.terms.finishPlan() }
            let audienceCheck = try await live.audienceCheck(for: release, at: instant)
            let channel = SeenChannel(app: release.app, channel: release.channel)
            let tally = AudienceTally(
                audienceCheck, within: SeenWindow(endingAt: now),
                beginningWith: AudienceCount(
                    instant: instant, percent: release.percent(at: instant),
                    coverage: .init(since: try await store.seenChannels()[channel], figures: figures)))
            try await readPages(in: channel) { tally.add($0) }
            return tally.count
        }
    }

    /// Throws `conflict` if the server records no devices.
    func requireOn() throws(PlatformError) {
        guard isOn else {
            throw PlatformError(
                .conflict, "The server records no devices, so it cannot count them. Start it without --devices-seen 0."
            )
        }
    }

    /// Reads all seen devices of a channel page by page, and passes each page to `body` on a worker thread.
    ///
    /// The next page is read meanwhile. Throws `busy` if the task is cancelled, since a server that stops must not wait
    /// for a million devices.
    func readPages(
        in channel: SeenChannel, _ body: @Sendable ([SeenDevice]) -> Void
    ) async throws(PlatformError) {
        var next = try await store.seenDevices(in: channel, after: nil, upTo: Self.pageSize)
        while let key = next.last?.key {
            try Self.requireRunning()
            let page = next
            async let following =
                page.count < Self.pageSize ? .success([]) : readPage(in: channel, after: key)
            await work.run { body(page) }
            next = try await following.get()
        }
    }

    /// Returns the page after a device, or the failure, whose type `async let` would lose.
    private func readPage(in channel: SeenChannel, after key: DeviceKey) async -> Result<[SeenDevice], PlatformError> {
        do throws(PlatformError) {
            return .success(try await store.seenDevices(in: channel, after: key, upTo: Self.pageSize))
        } catch {
            return .failure(error)
        }
    }

    /// Throws `busy` if the task is cancelled.
    static func requireRunning() throws(PlatformError) {
        guard Task.isCancelled else { return }
        throw PlatformError(.busy, "The server stops, so the devices were not counted. Try again in a moment.")
    }
}
