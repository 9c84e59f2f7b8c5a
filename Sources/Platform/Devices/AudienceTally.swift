import Domain
import Synchronization

/// A counter of seen devices that applies a release's rules to each, page by page.
final class AudienceTally: Sendable {
    fileprivate struct State {
        var count: AudienceCount
        var reader = SeenFactsReader()
    }

    private let yardstick: LiveApps.Yardstick
    private let window: SeenWindow
    private let state: Mutex<State>

    init(_ yardstick: LiveApps.Yardstick, within window: SeenWindow, beginningWith count: AudienceCount) {
        self.yardstick = yardstick
        self.window = window
        state = Mutex(State(count: count))
    }

    /// The counts so far, with the rules in order.
    var count: AudienceCount {
        var count = state.withLock { $0.count }
        count.refusals.sort { ($0.devices, $1.rule.rule) > ($1.devices, $0.rule.rule) }
        return count
    }

    /// Adds devices to the counts; takes a millisecond for some hundred devices.
    func add(_ devices: [SeenDevice]) {
        state.withLock { state in
            for device in devices where window.contains(device.seenAt) { state.add(device, yardstick) }
        }
    }
}

extension AudienceTally.State {
    fileprivate mutating func add(_ device: SeenDevice, _ yardstick: LiveApps.Yardstick) {
        let facts = reader.facts(of: device)
        count.seen += 1
        if device.isCut { count.coverage.cut += 1 }
        if facts.holdings != nil { count.coverage.sayingWhatTheyHave += 1 }
        let release = yardstick.candidate.release
        if let refusal = yardstick.refusal(of: facts) {
            let rule = refusal.ofAnyDevice
            if let known = count.refusals.firstIndex(where: { $0.rule == rule }) {
                count.refusals[known].devices += 1
            } else {
                count.refusals.append(AudienceCount.Refused(rule: rule, devices: 1))
            }
            return
        }
        count.matching += 1
        guard let holdings = facts.holdings else {
            count.silent += 1
            return
        }
        if holdings.versions[release.package]?.contains(release.version) ?? false { count.holding += 1 }
    }
}
