import Domain
import Synchronization

/// A counter of seen devices that applies a release's rules to each, page by page.
final class AudienceTally: Sendable {
    fileprivate struct State {
        var count: AudienceCount
        var reader = SeenFactsReader()
    }

    private let audienceCheck: LiveApps.AudienceCheck
    private let window: SeenWindow
    private let state: Mutex<State>

    init(_ audienceCheck: LiveApps.AudienceCheck, within window: SeenWindow, beginningWith count: AudienceCount) {
        self.audienceCheck = audienceCheck
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
            for device in devices where window.contains(device.seenAt) { state.add(device, audienceCheck) }
        }
    }
}

extension AudienceTally.State {
    fileprivate mutating func add(_ device: SeenDevice, _ audienceCheck: LiveApps.AudienceCheck) {
        let facts = reader.facts(of: device)
        count.seen += 1
        if device.isCut { count.coverage.cut += 1 }
        if facts.holdings != nil { count.coverage.reportingVersions += 1 }
        let release = audienceCheck.candidate.release
        if let refusal = audienceCheck.refusal(of: facts) {
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
