import Domain
import Ground

/// A simulated fleet: devices that update a package and open it, and the requests by which they report that.
///
/// Everything depends on the plan alone, so that equal plans send equal events.
package struct Fleet: Sendable {
    /// The limit on the reports of a request, which is the server's.
    package static let maximumBatch = 1000
    /// The devices whose reports are mixed with each other.
    package static let blockSize = 64

    /// The bytes of most reports, for which memory is reserved.
    private static let reportLength = 320

    private static let downloadReasons = ["timeout", "connection lost", "disk full"]
    private static let installReasons: [(event: NamedEvent, reason: String)] = [
        (.verifyFailed, "wrong digest"), (.applyFailed, "disk full"), (.applyFailed, "patch does not apply"),
    ]
    private static let pageFaults: [NamedEvent] = [.resourceMissing, .whiteScreen, .scriptError]

    package let plan: FleetPlan

    package init(_ plan: FleetPlan) { self.plan = plan }

    /// The number of blocks of one visit of all devices.
    package var blocksPerVisit: Int { (plan.devices + Self.blockSize - 1) / Self.blockSize }

    /// Returns the events that a device reports of a visit: an update, and openings of the package.
    package func events(of index: Int, visit: Int) -> [FleetEvent] {
        var visit = Visit(FleetDevice(index, of: plan), visit, plan.rates)
        if visit.chance(plan.rates.failure) { visit.add(.configFailed, reason: "timeout") }
        visit.add(.downloadStarted)
        if visit.chance(plan.rates.failure) {
            let reason = visit.random.pick(Self.downloadReasons)
            guard Bool.random(using: &visit.random) else {
                visit.add(.downloadFailed, reason: reason)
                return visit.events
            }
            visit.add(.fellBack, reason: reason)
        }
        visit.add(.downloaded, duration: 200...20_000)
        if visit.chance(plan.rates.failure) {
            let failure = visit.random.pick(Self.installReasons)
            visit.add(failure.event, reason: failure.reason)
            return visit.events
        }
        visit.add(.applied, duration: 20...3000)
        visit.add(.activated)
        for _ in 0..<Int.random(in: 1...3, using: &visit.random) {
            visit.add(.opened)
            visit.add(.pageLoad, duration: 30...5000)
            if visit.chance(plan.rates.crash) { visit.add(visit.random.pick(Self.pageFaults)) }
            if visit.chance(plan.rates.crash) {
                visit.add(.crash)
                visit.add(.rolledBack, reason: "crash")
                break
            }
        }
        return visit.events
    }

    /// Returns the reports of a block of devices in the order in which they are sent.
    ///
    /// Reports of different devices are mixed, those of one device come in any order, and some occur twice. Blocks are
    /// numbered over all visits: a visit of the last devices is followed by the next one of the first.
    package func reports(ofBlock block: Int) -> [FleetEvent] {
        let (visit, position) = block.quotientAndRemainder(dividingBy: blocksPerVisit)
        let first = position * Self.blockSize
        var random = SplitMix64(seed: SplitMix64.mix(plan.seed) ^ UInt64(block))
        var reports: [FleetEvent] = []
        for index in first..<min(first + Self.blockSize, plan.devices) {
            for event in events(of: index, visit: visit) {
                reports.append(event)
                if random.chance(plan.rates.duplicate) { reports.append(event) }
            }
        }
        reports.shuffle(using: &random)
        return reports
    }

    /// Returns the body of a request.
    package func body(of reports: some Collection<FleetEvent>) -> [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        bytes.reserveCapacity(Self.reportLength * reports.count)
        for report in reports {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            report.write(to: &bytes, in: plan)
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}

/// The events of a visit as they happen.
private struct Visit {
    let device: FleetDevice
    let visit: Int
    let lost: BasisPoints
    var random: SplitMix64
    private(set) var events: [FleetEvent] = []
    private var number = 0

    init(_ device: FleetDevice, _ visit: Int, _ rates: FleetPlan.Rates) {
        self.device = device
        self.visit = visit
        lost = rates.lost
        random = SplitMix64(seed: SplitMix64.mix(device.key &+ UInt64(visit)))
    }

    mutating func chance(_ share: BasisPoints) -> Bool { random.chance(share) }

    /// Adds an event, unless its report is lost.
    mutating func add(_ event: NamedEvent, reason: String? = nil, duration: ClosedRange<Int>? = nil) {
        let duration = duration.map { Int.random(in: $0, using: &random) }
        if !random.chance(lost) {
            events.append(
                FleetEvent(
                    device: device, visit: visit, number: number, event: event, reason: reason, duration: duration))
        }
        number += 1
    }
}
