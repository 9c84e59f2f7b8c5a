import Domain
import Synchronization

/// Counts devices, page by page, as a release would be decided for each.
final class AudienceTally: Sendable {
    /// Different texts of facts, and of what devices have, that are kept read; most devices say what others say.
    fileprivate static let memory = 4_096

    fileprivate struct State {
        var count: AudienceCount
        var facts: [String: DeviceFacts] = [:]
        var holdings: [String: Holdings] = [:]
    }

    private let yardstick: LiveApps.Yardstick
    private let window: SeenWindow
    private let state: Mutex<State>

    init(_ yardstick: LiveApps.Yardstick, within window: SeenWindow, beginningWith count: AudienceCount) {
        self.yardstick = yardstick
        self.window = window
        state = Mutex(State(count: count))
    }

    /// The rules in order.
    var count: AudienceCount {
        var count = state.withLock { $0.count }
        count.refusals.sort { ($0.devices, $1.rule.rule) > ($1.devices, $0.rule.rule) }
        return count
    }

    /// Takes a millisecond for some hundred devices.
    func add(_ devices: [SeenDevice]) {
        state.withLock { state in
            for device in devices where window.contains(device.seenAt) { state.add(device, yardstick) }
        }
    }
}

extension AudienceTally.State {
    fileprivate mutating func add(_ device: SeenDevice, _ yardstick: LiveApps.Yardstick) {
        let facts = facts(of: device)
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

    private mutating func facts(of device: SeenDevice) -> DeviceFacts {
        var facts = self.facts[device.facts]
        if facts == nil {
            if self.facts.count == AudienceTally.memory { self.facts = [:] }
            facts = SeenDevice.read(device.facts)
            self.facts[device.facts] = facts
        }
        var known = facts ?? .none
        known.identity = DeviceIdentity(device.key)
        known.holdings = device.have.map { holdings(in: $0) }
        return known
    }

    private mutating func holdings(in text: String) -> Holdings {
        if let known = holdings[text] { return known }
        if holdings.count == AudienceTally.memory { holdings = [:] }
        let read = Holdings(text)
        holdings[text] = read
        return read
    }
}
