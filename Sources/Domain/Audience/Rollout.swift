/// How far a release has been let out: a percentage that only grows, by hand or by a plan.
package struct Rollout: Sendable, Hashable {
    /// What was set by hand; with a plan, the least that is reached.
    package var percent: BasisPoints
    /// By rising time, each with a higher percentage than the one before.
    package var steps: [Step]
    /// Milliseconds for which the plan stood still, but for a pause that lasts.
    package var pausedFor: Int64

    package struct Step: Sendable, Hashable {
        package let percent: BasisPoints
        /// Milliseconds after activeTime, pauses not counted.
        package let after: Int64

        package init(percent: BasisPoints, after: Int64) {
            self.percent = percent
            self.after = after
        }
    }

    /// Steps of a plan at most.
    package static let maximumSteps = 50
    /// Milliseconds after which the last step of a plan comes at most: a year.
    package static let maximumAfter: Int64 = 366 * 86_400_000

    package static let toEveryone = Rollout(percent: .all)

    package init(percent: BasisPoints, steps: [Step] = [], pausedFor: Int64 = 0) {
        self.percent = percent
        self.steps = steps
        self.pausedFor = pausedFor
    }

    /// Whether the steps are a plan: times and percentages rise.
    package static func isPlan(_ steps: [Step]) -> Bool {
        guard let first = steps.first, let last = steps.last, steps.count <= maximumSteps else { return false }
        let pairs = zip(steps, steps.dropFirst())
        return first.after >= 0 && last.after <= maximumAfter
            && pairs.allSatisfy { $0.after < $1.after && $0.percent < $1.percent }
    }

    /// How many steps have come when the plan has run for so many milliseconds.
    func stepsReached(after elapsed: Int64) -> Int { steps.prefix { $0.after <= elapsed }.count }

    /// The percentage when the plan has run for so many milliseconds.
    func reached(after elapsed: Int64) -> BasisPoints {
        let reached = stepsReached(after: elapsed)
        return reached == 0 ? percent : max(percent, steps[reached - 1].percent)
    }

    /// The highest that there will be without anyone's doing.
    package var final: BasisPoints { max(percent, steps.last?.percent ?? .none) }
}
