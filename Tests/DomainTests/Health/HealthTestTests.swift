import Ground
import Testing

@testable import Domain

/// The evidence of the sequential tests.
struct HealthTestTests {
    private func evidence(_ affected: Int, of devices: Int, above ceiling: Int) throws -> Double {
        HealthTest.evidence(
            HealthShare(devices: devices, affected: affected), above: try #require(BasisPoints(ceiling)))
    }

    private func evidence(_ affected: Int, of devices: Int, control: Int, of others: Int, times: Double = 1) -> Double {
        HealthTest.evidence(
            HealthShare(devices: devices, affected: affected),
            above: HealthShare(devices: others, affected: control), times: times)
    }

    @Test func `the logarithm of the gamma function is that of factorials and of the root of pi`() {
        var factorial = 0.0
        for number in 1...30 {
            #expect(abs(HealthTest.logGamma(Double(number)) - factorial) < 1e-9)
            factorial += logarithm(Double(number))
        }
        #expect(abs(HealthTest.logGamma(0.5) - logarithm(Double.pi.squareRoot())) < 1e-9)
    }

    @Test func `a share at or below the limit is no evidence`() throws {
        #expect(try evidence(5, of: 100, above: 500) == 0)
        #expect(try evidence(0, of: 100, above: 500) == 0)
        #expect(evidence(5, of: 100, control: 50, of: 1000) == 0)
        #expect(evidence(6, of: 100, control: 50, of: 1000, times: 1.2) == 0)
        #expect(evidence(0, of: 0, control: 0, of: 0) == 0)
        #expect(evidence(9, of: 9, control: 0, of: 0) == 0)
    }

    @Test func `evidence grows with the affected devices and with the size of both groups`() throws {
        #expect(try evidence(30, of: 100, above: 500) > evidence(20, of: 100, above: 500))
        #expect(try evidence(200, of: 1000, above: 500) > evidence(20, of: 100, above: 500))
        #expect(evidence(30, of: 100, control: 50, of: 1000) > evidence(20, of: 100, control: 50, of: 1000))
        #expect(evidence(20, of: 100, control: 500, of: 10_000) > evidence(20, of: 100, control: 5, of: 100))
        #expect(
            evidence(20, of: 100, control: 50, of: 1000) > evidence(20, of: 100, control: 50, of: 1000, times: 1.5))
    }

    /// Compares the likelihood ratio with sums over all shares.
    @Test(arguments: [(7, 20, 3, 50, 1.0), (7, 20, 3, 50, 1.5), (20, 20, 1, 5, 1.0), (3, 9, 0, 40, 1.0)])
    func `the e-value is the mixture over the highest likelihood that the rule allows`(
        affected: Int, devices: Int, control: Int, others: Int, times: Double
    ) throws {
        func likelihood(_ affected: Int, _ devices: Int, _ rate: Double) -> Double {
            (affected == 0 ? 0 : Double(affected) * logarithm(rate))
                + (devices == affected ? 0 : Double(devices - affected) * logarithm(1 - rate))
        }
        var highest = -Double.infinity
        for step in 1..<20_000 {
            let rate = Double(step) / 20_000
            guard rate * times < 1 else { break }
            highest = max(
                highest, likelihood(affected, devices, rate * times) + likelihood(control, others, rate))
        }
        func mixture(_ affected: Int, _ devices: Int) -> Double {
            // The devices one after the other, each predicted by those before it.
            (0..<devices).reduce(0) { sum, index in
                let isAffected = index < affected
                let known = Double(isAffected ? index : index - affected)
                return sum + logarithm((known + 0.5) / (Double(index) + 1))
            }
        }
        let expected = mixture(affected, devices) + mixture(control, others) - highest
        #expect(
            abs(evidence(affected, of: devices, control: control, of: others, times: times) - max(0, expected)) < 1e-3)
    }

    @Test func `the false alarms of all watches and tests together are within the rate`() {
        var sum = 0.0
        for watch in 1...1000 { sum += 3 * exponential(-HealthTest.bound(watch: watch, tests: 3)) }
        #expect(sum < HealthTest.falseAlarmRate && sum > HealthTest.falseAlarmRate * 0.99)
        #expect(HealthTest.bound(watch: 1, tests: 0) == HealthTest.bound(watch: 1, tests: 1))
    }

    @Test func `a share has at most as many affected devices as devices`() {
        #expect(HealthShare(devices: 3, affected: 4).unaffected == 0)
        #expect(HealthShare(devices: -1, affected: 1) == HealthShare(devices: 0, affected: 0))
        #expect(HealthShare(devices: 0, affected: 0).percent == .none)
        #expect(HealthShare(devices: 3, affected: 1).percent.percent == "33.33")
    }
}
