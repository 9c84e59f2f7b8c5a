import func Glibc.log

/// The sequential tests of health rules: evidence that grows with each device and may be looked at any number of times.
///
/// Each device is one trial, which counts as affected or not, however often the device reports. The evidence is the
/// logarithm of an e-value of universal inference (Wasserman, Ramdas and Balakrishnan, 2020): the likelihood of the
/// devices under a mixture of all shares, divided by their highest likelihood under a share that the rule allows. If the
/// release keeps to the rule, the e-value is at most a nonnegative martingale that begins at 1. By Ville's inequality it
/// then ever reaches 1/α with a probability of at most α, at however many looks, and however the groups grow
/// (decision 0071).
package enum HealthTest {
    /// The highest probability that a release that keeps to all of its rules ever trips one.
    package static let falseAlarmRate = 0.01

    /// Returns the evidence at which a test trips.
    ///
    /// The n-th watch of a release may spend 1 / (n · (n + 1)) of ``falseAlarmRate``, and each of its tests an equal part
    /// of that; all parts together add up to the rate.
    ///
    /// - Parameters:
    ///   - watch: The number of the watch, from 1.
    ///   - tests: The number of tests of all rules.
    package static func bound(watch: Int, tests: Int) -> Double {
        log(Double(watch) * Double(watch + 1) * Double(max(1, tests)) / falseAlarmRate)
    }

    /// Returns the evidence that more devices are affected than a ceiling allows; zero if the share is not above it.
    package static func evidence(_ share: HealthShare, above ceiling: BasisPoints) -> Double {
        let allowed = Double(ceiling.value) / Double(BasisPoints.all.value)
        guard share.rate > allowed else { return 0 }
        return max(0, mixture(share) - likelihood(share, at: allowed))
    }

    /// Returns the evidence that a higher share of devices is affected than that of the control group allows.
    ///
    /// It is zero if the share is not above that of the control group times `factor`.
    ///
    /// - Parameter factor: How many times the share of the control group is allowed, at least 1.
    package static func evidence(_ share: HealthShare, above control: HealthShare, times factor: Double) -> Double {
        guard control.devices > 0, share.rate > factor * control.rate else { return 0 }
        // The likelihood is highest where the share is exactly `factor` times the control group's: the smaller root of
        // its derivative.
        let affected = Double(share.affected + control.affected)
        let square = factor * Double(share.devices + control.devices)
        let linear = affected * (1 + factor) + factor * Double(share.unaffected) + Double(control.unaffected)
        let root = max(0, linear * linear - 4 * square * affected).squareRoot()
        let rate = 2 * affected / (linear + root)
        let highest = likelihood(share, at: factor * rate) + likelihood(control, at: rate)
        return max(0, mixture(share) + mixture(control) - highest)
    }

    /// Returns the logarithm of the probability of the devices, in their order, at a share.
    private static func likelihood(_ share: HealthShare, at rate: Double) -> Double {
        (share.affected == 0 ? 0 : Double(share.affected) * log(rate))
            + (share.unaffected == 0 ? 0 : Double(share.unaffected) * log(max(0, 1 - rate)))
    }

    /// Returns the logarithm of the probability of the devices, in their order, if every share is possible.
    ///
    /// The shares are weighted by Jeffreys' prior, Beta(1/2, 1/2), whose normalizing constant is π.
    private static func mixture(_ share: HealthShare) -> Double {
        logGamma(Double(share.affected) + 0.5) + logGamma(Double(share.unaffected) + 0.5)
            - logGamma(Double(share.devices) + 1) - log(Double.pi)
    }

    /// Returns the logarithm of the gamma function of a number of at least 1/2, by Stirling's series.
    ///
    /// The function of the C library writes a global variable.
    static func logGamma(_ number: Double) -> Double {
        var (shifted, product) = (number, 1.0)
        while shifted < 10 {
            product *= shifted
            shifted += 1
        }
        let (inverse, halfLogOfTwoPi) = (1 / shifted, 0.918_938_533_204_672_7)
        let square = inverse * inverse
        let series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)))
        return (shifted - 0.5) * log(shifted) - shifted + halfLogOfTwoPi + series - log(product)
    }
}

/// The devices that a metric affects, among the devices of a group.
package struct HealthShare: Sendable, Equatable {
    package let devices: Int
    /// At most ``devices``, of which a large number is estimated.
    package let affected: Int

    package init(devices: Int, affected: Int) {
        self.devices = max(0, devices)
        self.affected = min(max(0, affected), self.devices)
    }

    package var unaffected: Int { devices - affected }

    /// The share of affected devices; zero without devices.
    package var rate: Double { devices == 0 ? 0 : Double(affected) / Double(devices) }
}
