package import Ground

extension Release {
    /// Returns the release judged by other rules, or by none.
    ///
    /// With rules, steps of the plan are held (``Rollout/holdSteps(after:)``). Without rules, the plan goes on. Throws
    /// `conflict` if the release has ended.
    package func judged(by policy: HealthPolicy?, at instant: Timestamp) throws(PlatformError) -> Release {
        guard !hasEnded else {
            throw PlatformError(.conflict, "\(package) \(version) is rolled back, so it is not judged any more.")
        }
        var changed = self
        changed.revision += 1
        changed.terms.health = policy
        if policy == nil {
            changed.unholdSteps(at: instant)
        } else if terms.health == nil {
            changed.terms.rollout.holdSteps(after: stepsReached(at: instant))
        }
        return changed
    }

    /// Returns the release as it goes on after an instant if the verdict permits each step of the plan when it is due.
    ///
    /// A step that waits at the instant is taken then. The plan of a paused or halted release stands still.
    package func stayingHealthy(from instant: Timestamp) -> Release {
        guard course == .running else { return self }
        var changed = self
        changed.unholdSteps(at: instant)
        return changed
    }

    /// Makes all steps independent of the verdict; a step that waits at the instant is taken then.
    private mutating func unholdSteps(at instant: Timestamp) {
        countWait(at: instant)
        for index in terms.rollout.steps.indices { terms.rollout.steps[index].isHeld = false }
    }

    /// Whether the plan stands still before a step whose time has come.
    package func isStepWaiting(at instant: Timestamp) -> Bool {
        guard course == .running, isActive(at: instant), let held = terms.rollout.heldStep else { return false }
        return elapsedUnheld(at: instant) >= held.after
    }

    /// Returns the release after the waiting step of its plan; `nil` if none waits.
    ///
    /// Later steps keep their distances from it.
    package func advanced(at instant: Timestamp) -> Release? {
        guard isStepWaiting(at: instant), let index = terms.rollout.steps.firstIndex(where: \.isHeld) else {
            return nil
        }
        var changed = self
        changed.revision += 1
        changed.countWait(at: instant)
        changed.terms.rollout.steps[index].isHeld = false
        return changed
    }

    /// Adds the time for which the plan has stood still before a held step, which then has come at the instant.
    mutating func countWait(at instant: Timestamp) {
        guard isActive(at: instant), let held = terms.rollout.heldStep else { return }
        terms.rollout.pausedFor += max(0, elapsedUnheld(at: instant) - held.after)
    }
}

extension Rollout {
    /// Holds the steps that are not reached, except the first one if no device has got the release by then.
    ///
    /// Devices have nothing to report before they get the release.
    ///
    /// - Parameter reached: The number of reached steps.
    package mutating func holdSteps(after reached: Int) {
        let free = percent == .none ? max(1, reached) : reached
        for index in steps.indices.dropFirst(free) { steps[index].isHeld = true }
    }
}
