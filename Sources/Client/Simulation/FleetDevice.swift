import Domain
import Ground

/// A device of a simulated fleet, with the facts that stay.
package struct FleetDevice: Sendable, Equatable {
    static let platforms = ["android", "ios"]
    static let osVersions = ["14", "18.1"]
    static let appVersions = ["8.0.0", "8.1.0", "8.1.2", "8.2.0", "8.3.0"]
    static let networks = ["wifi", "5g", "4g"]

    /// The years by which a wrong clock is off, ahead or behind, and the days by which reports are late.
    ///
    /// Late reports stay within the time for which a report counts at its own time.
    static let yearsOff: ClosedRange<Int64> = 1...20
    static let daysLate: ClosedRange<Int64> = 1...20
    private static let day: Int64 = 86_400_000
    private static let year: Int64 = 366 * day

    /// The number of the device in the fleet, from 0.
    package let index: Int
    /// The number from which the id and all further random numbers follow.
    let key: UInt64
    /// The indexes of the version in the plan and of the other facts in the lists above.
    package let version: Int
    package let platform: Int
    package let appVersion: Int
    let network: Int
    package let hasWrongClock: Bool
    /// The milliseconds by which the device's times differ from the plan's start.
    package let offset: Int64

    /// Creates a device of a fleet; equal arguments give equal devices.
    package init(_ index: Int, of plan: FleetPlan) {
        self.index = index
        key = SplitMix64.mix(SplitMix64.mix(plan.seed) &+ UInt64(index))
        var random = SplitMix64(seed: key)
        version = Int.random(in: plan.versions.indices, using: &random)
        platform = Int.random(in: Self.platforms.indices, using: &random)
        appVersion = Int.random(in: Self.appVersions.indices, using: &random)
        network = Int.random(in: Self.networks.indices, using: &random)
        hasWrongClock = random.chance(plan.rates.wrongClock)
        let isOffline = random.chance(plan.rates.offline)
        if hasWrongClock {
            let years = Int64.random(in: Self.yearsOff, using: &random) * Self.year
            offset = Bool.random(using: &random) ? years : -years
        } else {
            offset = isOffline ? -Int64.random(in: Self.daysLate, using: &random) * Self.day : 0
        }
    }

    /// The id under which the device reports, from 16 lower-case hex digits.
    package var id: String {
        let digits = String(key, radix: 16)
        return "device-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension SplitMix64 {
    /// Returns `true` for a share of the calls.
    mutating func chance(_ share: BasisPoints) -> Bool {
        Int.random(in: 0..<BasisPoints.all.value, using: &self) < share.value
    }

    /// Returns one of the elements, of which there is at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
