/// The rollout of a release: a percentage that only grows, by hand or by a plan.
package struct Rollout: Sendable, Hashable {
    /// The percentage set by hand; with a plan, the minimum.
    package var percent: BasisPoints
    /// The steps of the plan, by rising time and percentage.
    package var steps: [Step]
    /// The milliseconds of completed pauses of the plan.
    package var pausedFor: Int64

    package struct Step: Sendable, Hashable {
        package var percent: BasisPoints
        /// The milliseconds after activeTime, without pauses.
        package let after: Int64
        /// Whether the plan stands still before the step until the verdict on the release permits it.
        package var isHeld: Bool
        /// Whether the rules of the audience no longer apply from this step on.
        package var isWithoutRules: Bool

        package init(percent: BasisPoints, after: Int64, isHeld: Bool = false, isWithoutRules: Bool = false) {
            self.percent = percent
            self.after = after
            self.isHeld = isHeld
            self.isWithoutRules = isWithoutRules
        }
    }

    /// The limit on the steps of a plan.
    package static let maximumSteps = 50
    /// The latest time of a plan's last step, in milliseconds: a year.
    package static let maximumAfter: Int64 = 366 * 86_400_000

    package static let toEveryone = Rollout(percent: .all)

    package init(percent: BasisPoints, steps: [Step] = [], pausedFor: Int64 = 0) {
        self.percent = percent
        self.steps = steps
        self.pausedFor = pausedFor
    }

    /// Returns whether the steps form a plan: times rise, and each step adds devices.
    ///
    /// A step adds devices by a higher percentage, or as the one step from which on the rules do not apply. Rules that
    /// do not apply from the first step on would never apply.
    package static func isPlan(_ steps: [Step]) -> Bool {
        guard let first = steps.first, let last = steps.last, steps.count <= maximumSteps else { return false }
        let pairs = zip(steps, steps.dropFirst())
        return first.after >= 0 && last.after <= maximumAfter && !first.isWithoutRules
            && steps.count(where: \.isWithoutRules) <= 1
            && pairs.allSatisfy {
                $0.after < $1.after && ($0.percent < $1.percent || $0.percent == $1.percent && $1.isWithoutRules)
            }
    }

    /// The first step before which the plan stands still.
    package var heldStep: Step? { steps.first(where: \.isHeld) }

    /// Returns the number of steps reached after the plan has run for `elapsed` milliseconds.
    func stepsReached(after elapsed: Int64) -> Int { steps.prefix { $0.after <= elapsed }.count }

    /// Returns the percentage after the plan has run for `elapsed` milliseconds.
    func reached(after elapsed: Int64) -> BasisPoints {
        let reached = stepsReached(after: elapsed)
        return reached == 0 ? percent : max(percent, steps[reached - 1].percent)
    }

    /// Whether a step drops the rules of the audience.
    package var dropsRules: Bool { steps.contains(where: \.isWithoutRules) }

    /// Keeps the step that drops the rules as a plain step, or removes it if its percentage is that of the previous step.
    mutating func removeRuleDrop() {
        guard let index = steps.firstIndex(where: \.isWithoutRules) else { return }
        steps[index].isWithoutRules = false
        if index > 0, steps[index].percent == steps[index - 1].percent { steps.remove(at: index) }
    }

    /// Returns whether a step has dropped the rules of the audience after the plan has run for `elapsed` milliseconds.
    func hasDroppedRules(after elapsed: Int64) -> Bool {
        steps.prefix(stepsReached(after: elapsed)).contains(where: \.isWithoutRules)
    }

    /// The highest percentage that the plan reaches by itself.
    package var final: BasisPoints { max(percent, steps.last?.percent ?? .none) }
}
