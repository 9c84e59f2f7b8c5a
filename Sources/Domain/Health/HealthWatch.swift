package import Ground

/// A period of a release whose reports are judged together, with the latest verdict.
package struct HealthWatch: Sendable, Equatable {
    /// The number of the watch of its release, from 1.
    package var number: Int
    /// The time from which reports count, at the beginning of an hour.
    package var since: Timestamp
    package var trip: Trip?
    /// The latest verdict in the operators' format.
    package var verdict: JSON

    /// The excess of a limit, which ends the judgement of a watch.
    package struct Trip: Sendable, Equatable {
        package let action: HealthAction
        /// Whether the release has been stopped since, by the server or by an operator.
        ///
        /// Until then the action is due.
        package private(set) var wasStopped: Bool

        package init(action: HealthAction, wasStopped: Bool = false) {
            self.action = action
            self.wasStopped = wasStopped
        }

        /// Creates the trip of a rule of a release; one that an operator has paused needs no pause.
        package init(_ action: HealthAction, of release: Release) {
            self.init(action: action, wasStopped: action == .pause && release.course.stoppedSince != nil)
        }

        /// Returns the trip after a change of its release; `nil` if the change ends it.
        ///
        /// Stopping the release leaves nothing to be done. Other rules, or none, end a trip whose action was not taken:
        /// they judge the reports anew. Other changes leave the action due, as they do not show that an operator knows of
        /// the trip.
        package func after(_ release: Release, became changed: Release) -> Trip? {
            guard !wasStopped else { return self }
            guard release.terms.health == changed.terms.health else { return nil }
            let isStop = changed.course.stoppedSince != nil && changed.course != release.course
            return Trip(action: action, wasStopped: isStop)
        }
    }

    package init(number: Int, since: Timestamp, trip: Trip? = nil, verdict: JSON = .object([])) {
        self.number = number
        self.since = since
        self.trip = trip
        self.verdict = verdict
    }

    private static let hour = ReportTotal.Span.hour.milliseconds ?? 0

    /// Returns the watch of a release at an instant: the given one, or the one after it.
    ///
    /// - Parameter old: The latest watch; `nil` before the first.
    package static func current(
        after old: HealthWatch?, of release: Release, under policy: HealthPolicy, at now: Timestamp
    ) -> HealthWatch {
        let span = ReportTotal.Span.hour
        guard let old else {
            let begin = max(release.activeTime, now.adding(milliseconds: hour - policy.window))
            return HealthWatch(number: 1, since: span.start(of: min(begin, now)))
        }
        // Totals have whole hours, and a report from before an operator's decision must not count against it.
        let resumption = span.start(of: now.adding(milliseconds: policy.coolDown + hour - 1))
        if old.isResumed(release) { return HealthWatch(number: old.number + 1, since: resumption) }
        if old.trip != nil { return old }
        // The clock was set back to before a watch whose reports were judged already.
        if old.since > now, !old.isCoolingDown {
            return HealthWatch(number: old.number + 1, since: span.start(of: now))
        }
        // The clock was set back, or the cool-down was shortened.
        if old.since > resumption { return HealthWatch(number: old.number + 1, since: resumption) }
        if now.milliseconds - old.since.milliseconds >= policy.window {
            return HealthWatch(number: old.number + 1, since: span.start(of: now))
        }
        // Changed rules are new tests of the same reports. They get a new watch with its own share of the false alarms.
        return old.hasJudged(by: policy) ? old : HealthWatch(number: old.number + 1, since: old.since)
    }

    /// Whether the latest verdict waits for the reports after a resumption, or there is none.
    private var isCoolingDown: Bool {
        verdict["state"]?.string.flatMap(HealthVerdict.State.init(rawValue:)).map { $0 == .coolingDown } ?? true
    }

    /// Whether the latest verdict is by the rules of a policy, or there is none.
    private func hasJudged(by policy: HealthPolicy) -> Bool {
        guard let checks = verdict["rules"]?.elements else { return true }
        return checks.map(HealthRule.init(ofCheck:)) == policy.rules.map(Optional.some)
    }

    /// Returns the watches of the releases of a group, in their order.
    ///
    /// If one of them begins later, since an operator lets the group continue, the others begin with it.
    package static func current(
        after old: [ReleaseID: HealthWatch], of releases: [Release], under policy: HealthPolicy, at now: Timestamp
    ) -> [HealthWatch] {
        let watches = releases.map { current(after: old[$0.id], of: $0, under: policy, at: now) }
        guard let since = watches.map(\.since).max(), since > now else { return watches }
        return watches.map { watch in
            watch.since > now || watch.trip != nil ? watch : HealthWatch(number: watch.number + 1, since: since)
        }
    }

    /// Returns whether an operator lets a release continue that was stopped after a rule had tripped.
    private func isResumed(_ release: Release) -> Bool {
        trip?.wasStopped ?? false && release.course.stoppedSince == nil
    }
}

extension Release {
    /// Whether the release is judged at an instant: it has rules, devices get it, and it goes on or is paused.
    package func isJudged(at instant: Timestamp) -> Bool {
        guard terms.health != nil, isActive(at: instant) else { return false }
        switch course {
        case .running, .paused, .completed: return true
        case .halted, .rolledBack: return false
        }
    }
}
