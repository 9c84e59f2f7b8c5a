import Domain
import Ground
import Testing
import WorldKit

/// Simulates releases whose truth is known, by the rule alone (decision 0071).
struct HealthSimulationTests {
    /// A limit on crashes with both tests, at the limits where a release just keeps to them.
    private func policy(_ ceiling: Int, _ metrics: HealthMetric...) throws -> HealthPolicy {
        let ceiling = try #require(BasisPoints(ceiling))
        return HealthPolicy(rules: metrics.map { HealthRule(metric: $0, ceiling: ceiling, aboveControl: 0) })
    }

    @Test func `of 10,000 releases that are as good as allowed, at most 1 percent is stopped`() throws {
        var random = SeededRandom.fresh(for: "false alarms")
        var simulation = HealthSimulation()
        simulation.looks = 30
        var stopped = 0
        for _ in 0..<10_000 {
            simulation.fleet = Int.random(in: 500...20_000, using: &random)
            simulation.lastShare = Double.random(in: 0.1...1, using: &random)
            let share = Int.random(in: 10...1000, using: &random)
            simulation.usual = Double(share) / 10_000
            simulation.actual = simulation.usual
            let policy = try policy(share, .crashes, .whiteScreens)
            if simulation.devicesUntilTrip(under: policy, &random) != nil { stopped += 1 }
        }
        print("false alarms: \(stopped) of 10,000")
        #expect(stopped <= 100)
    }

    @Test(arguments: [0, 25])
    func `a release that doubles the crash rate is stopped before a fifth of the fleet has it`(above: Int) throws {
        var random = SeededRandom.fresh(for: "doubled crashes")
        var simulation = HealthSimulation()
        simulation.actual = 0.02
        let policy = HealthPolicy(rules: [HealthRule(metric: .crashes, aboveControl: above)])
        let devices = (0..<1000).compactMap { _ in simulation.devicesUntilTrip(under: policy, &random) }.sorted()
        print(
            "doubled crashes, \(above) % allowed: \(devices.count) of 1,000 stopped, half before \(devices[devices.count / 2]) devices"
        )
        #expect(devices.count >= 950)
    }

    @Test func `a release that breaks everything is stopped within 200 devices`() throws {
        var random = SeededRandom.fresh(for: "broken releases")
        var simulation = HealthSimulation()
        simulation.actual = 1
        simulation.lastShare = 0.01
        let ceiling = HealthPolicy(rules: [HealthRule(metric: .crashes, ceiling: .init(500))])
        let control = HealthPolicy(rules: [HealthRule(metric: .whiteScreens, aboveControl: 25)])
        for policy in [ceiling, control] {
            let devices = (0..<1000).compactMap { _ in simulation.devicesUntilTrip(under: policy, &random) }
            #expect(devices.count == 1000)
            #expect(devices.allSatisfy { $0 <= 200 }, "\(devices.max() ?? 0)")
        }
    }
}
