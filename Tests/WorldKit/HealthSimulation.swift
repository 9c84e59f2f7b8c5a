package import Domain
import Ground
import func Glibc.log

/// A simulated release: devices get it one after the other while its health rules are looked at again and again.
package struct HealthSimulation {
    /// The looks while the release reaches ``lastShare`` of the fleet; each one has more devices than the one before.
    package var looks = 60
    /// The devices of the first look.
    package var firstLook = 20
    /// The devices of the app.
    package var fleet = 100_000
    /// The share of the fleet that the release reaches.
    package var lastShare = 0.2
    /// The share of devices that each metric affects without the release.
    package var usual = 0.01
    /// The share of devices that each metric affects with the release.
    package var actual = 0.01

    package init() {}

    /// Returns the number of devices with the release when a rule trips; `nil` if none does.
    package func devicesUntilTrip(under policy: HealthPolicy, _ random: inout SeededRandom) -> Int? {
        let watch = HealthWatch(number: 1, since: .init(milliseconds: 0))
        let metrics = Set(policy.rules.map(\.metric))
        var counts = HealthCounts()
        let last = Int(lastShare * Double(fleet))
        for look in 1...looks {
            // The fleet's other devices report early, those with the release as it reaches them.
            let devices = firstLook + (last - firstLook) * (look - 1) * look / (looks * (looks - 1))
            let others = min(fleet, fleet * look / 10) - devices
            for metric in metrics {
                counts.release.affected[metric, default: 0] += random.trials(
                    devices - counts.release.devices, at: actual)
                counts.control.affected[metric, default: 0] += random.trials(
                    others - counts.control.devices, at: usual)
            }
            counts.release.devices = devices
            counts.control.devices = max(counts.control.devices, others)
            if HealthVerdict(of: counts, in: watch, under: policy).tripped != nil { return devices }
        }
        return nil
    }
}

extension SeededRandom {
    /// Returns the number of successes among independent trials.
    fileprivate mutating func trials(_ count: Int, at chance: Double) -> Int {
        guard chance < 1 else { return max(0, count) }
        var (successes, position) = (0, 0.0)
        while true {
            // The failures before the next success are distributed geometrically.
            position +=
                (log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self)) / log(1 - chance)).rounded(
                    .down) + 1
            guard position <= Double(count) else { return successes }
            successes += 1
        }
    }
}
