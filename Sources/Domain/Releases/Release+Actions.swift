package import Ground

extension Release {
    /// Returns the state of the release.
    ///
    /// - Parameter others: The releases of its package; the release itself and other channels are ignored.
    package func state(among others: [Release], at instant: Timestamp) -> ReleaseState {
        switch course {
        case .rolledBack: return .rolledBack
        case .halted: return .halted
        default: break
        }
        guard isActive(at: instant) else { return .scheduled }
        if isSuperseded(by: others, at: instant) { return .superseded }
        switch course {
        case .paused: return .paused
        case .completed: return .completed
        default: break
        }
        let hasFinishedPlan = !terms.rollout.steps.isEmpty && !hasStepsLeft(at: instant)
        return hasFinishedPlan && percent(at: instant) == .all ? .completed : .active
    }

    /// Returns whether a step of the plan is not reached.
    func hasStepsLeft(at instant: Timestamp) -> Bool { stepsReached(at: instant) < terms.rollout.steps.count }

    /// Returns whether an active release of higher rank is for everyone.
    func isSuperseded(by others: [Release], at instant: Timestamp) -> Bool {
        others.contains { other in
            other.channel == channel && other.rank > rank && other.isActive(at: instant)
                && other.isForEveryone(at: instant)
        }
    }

    /// Returns the actions that a state of the release allows; the rules of a completed one may still be dropped.
    package func allowed(in state: ReleaseState, at instant: Timestamp) -> [ReleaseAction.Kind] {
        state == .completed && appliesRules(at: instant) ? [.widen] + state.allowed : state.allowed
    }

    /// Returns the release after an action.
    ///
    /// Throws `conflict` if its state does not allow the action, naming the allowed ones, and `invalidRequest` for a
    /// percentage that would take the version from devices, or a time that has passed.
    package func applying(
        _ action: ReleaseAction, in state: ReleaseState, at instant: Timestamp
    ) throws(PlatformError) -> Release {
        guard allowed(in: state, at: instant).contains(action.kind) else {
            throw refusal(of: action, in: state, at: instant)
        }
        var changed = self
        changed.revision += 1
        switch action {
        case .pause: changed.course = .paused(since: instant)
        case .resume:
            if isHalted { changed.haltChanges += 1 }
            changed.countStandstill(until: instant)
            changed.course = .running
        case .halt:
            changed.haltChanges += 1
            changed.course = .halted(since: course.stoppedSince ?? instant)
        case .complete:
            changed.course = .completed(at: instant)
            changed.terms.finishPlan()
            changed.terms.rollout.percent = .all
        case .widen(let percent, let isWithoutRules):
            try changed.widen(to: percent, withoutRules: isWithoutRules, at: instant)
            let rollout = changed.terms.rollout
            // Before its activeTime it stays a scheduled release to everyone.
            if rollout.percent == .all, rollout.steps.isEmpty, isActive(at: instant) {
                changed.course = .completed(at: instant)
            }
        case .reschedule(let moment):
            guard moment > instant else {
                throw PlatformError(
                    .invalidRequest,
                    "'activeTime' \(moment) has passed; the server's time is \(instant). Give a later one, or make a "
                        + "release without 'activeTime' to begin at once.")
            }
            try terms.downloads?.requireFit(before: moment)
            changed.activeTime = moment
        case .rollBack:
            changed.countStandstill(until: instant)
            changed.course = .rolledBack(at: instant)
        }
        return changed
    }

    /// Adds the time for which the plan has been stopped.
    private mutating func countStandstill(until instant: Timestamp) {
        guard let since = course.stoppedSince else { return }
        terms.rollout.pausedFor += max(0, instant.milliseconds - max(since, activeTime).milliseconds)
    }

    private mutating func widen(
        to percent: BasisPoints?, withoutRules dropsRules: Bool, at instant: Timestamp
    ) throws(PlatformError) {
        let moment = max(instant, activeTime)
        let reached = self.percent(at: moment)
        let percent = percent ?? reached
        terms.audience = audience(at: moment)
        if dropsRules {
            guard !terms.audience.rules.isEmpty else {
                throw PlatformError(
                    .invalidRequest,
                    "\(subject) has no audience rules to drop. Omit 'withoutRules', and give a higher 'percent' to widen it."
                )
            }
            terms.audience.rules = []
        }
        guard percent > reached || dropsRules && percent == reached else {
            throw PlatformError(
                .invalidRequest,
                "\(subject) is at \(reached.percent) % already. A percentage can only grow, so that no device loses the "
                    + "version. To take the version back, halt the release or roll it back.")
        }
        let hasRules = !terms.audience.rules.isEmpty
        func isPassed(_ step: Rollout.Step) -> Bool { step.percent <= percent && !(hasRules && step.isWithoutRules) }
        // Later steps keep their distances from a held step that is passed.
        if let held = terms.rollout.heldStep, isPassed(held) { countWait(at: instant) }
        terms.rollout.percent = percent
        terms.rollout.steps.removeAll(where: isPassed)
        if hasRules {
            // The step that drops the rules never lowers the percentage.
            for index in terms.rollout.steps.indices {
                terms.rollout.steps[index].percent = max(terms.rollout.steps[index].percent, percent)
            }
        } else {
            terms.rollout.removeRuleDrop()
        }
    }

    /// The name for operators; a release of a set is changed with the set.
    private var subject: String {
        self.set.map { "Release set \($0.id)" } ?? "Release \(id) of \(package) \(version)"
    }

    private func refusal(
        of action: ReleaseAction, in state: ReleaseState, at instant: Timestamp
    ) -> PlatformError {
        let allowed = allowed(in: state, at: instant).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return PlatformError(
            .conflict,
            "\(subject) is \(state.rawValue), which does not allow '\(action.kind.rawValue)'. "
                + (allowed.isEmpty ? "It cannot be changed any more; make a new one." : "Allowed actions: \(allowed)."))
    }
}
