import Domain
import Execution
import Ground
import Synchronization

/// The number of seen devices that lose releases of other packages by a change.
package struct LossCount: Sendable, Equatable {
    /// The devices of the channel that were seen in the last ``SeenWindow/days`` days.
    package internal(set) var seen = 0
    /// The devices that lose at least one release.
    package internal(set) var devices = 0
    /// The devices of each loss, by its index in the list.
    package internal(set) var devicesByLoss: [Int]
}

extension DevicesSeen {
    /// Counts the devices that get one of the lost releases now, and no release of at least its rank once the change is
    /// complete; returns `nil` if the server records no devices.
    ///
    /// - Parameters:
    ///   - before: All releases of the channel.
    ///   - after: All releases of the channel as the change leaves them.
    func count(
        losing losses: [DependencyLoss], from before: [Release], to after: [Release], in state: AppState,
        at now: Timestamp
    ) async throws(PlatformError) -> LossCount? {
        guard isOn, let channel = losses.first?.release.channel else { return nil }
        return try await counting.pass { () throws(PlatformError) in
            let horizon = DependencyReview.horizon(of: after, at: now)
            let check = LossCheck(
                losses: losses, before: try await live.snapshot(of: before, in: state, at: now), now: now,
                after: try await live.snapshot(of: after, in: state, at: horizon), horizon: horizon)
            let tally = LossTally(check, within: SeenWindow(endingAt: now))
            try await readPages(in: SeenChannel(app: state.app, channel: channel)) { tally.add($0) }
            return tally.count
        }
    }
}

/// A check whether a device loses releases, by the same resolution that serves devices.
private struct LossCheck: Sendable {
    let losses: [DependencyLoss]
    let before: ReleaseSnapshot
    let now: Timestamp
    let after: ReleaseSnapshot
    let horizon: Timestamp

    /// Returns the indexes of the losses that a device suffers.
    func losses(of facts: DeviceFacts) -> [Int] {
        var (old, new) = (Resolution(before, facts: facts, at: now), Resolution(after, facts: facts, at: horizon))
        return losses.indices.filter { index in
            let package = losses[index].release.package
            guard let had = old.decision(for: package).current, had.releaseID == losses[index].release.id else {
                return false
            }
            guard let gets = new.decision(for: package).current else { return true }
            return gets.release.rank < had.release.rank
        }
    }
}

/// A counter of lost releases over seen devices, page by page.
private final class LossTally: Sendable {
    private struct State {
        var count: LossCount
        var reader = SeenFactsReader()
    }

    private let check: LossCheck
    private let window: SeenWindow
    private let state: Mutex<State>

    init(_ check: LossCheck, within window: SeenWindow) {
        self.check = check
        self.window = window
        state = Mutex(State(count: LossCount(devicesByLoss: check.losses.map { _ in 0 })))
    }

    var count: LossCount { state.withLock { $0.count } }

    func add(_ devices: [SeenDevice]) {
        state.withLock { state in
            for device in devices where window.contains(device.seenAt) {
                state.count.seen += 1
                let lost = check.losses(of: state.reader.facts(of: device))
                if !lost.isEmpty { state.count.devices += 1 }
                for index in lost { state.count.devicesByLoss[index] += 1 }
            }
        }
    }
}
