package import Ground

/// The result of a rule.
package struct HealthCheck: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case healthy
        /// A group has too few devices.
        case waiting(devices: Int, isControl: Bool)
        /// A share is above its limit, which chance could explain.
        case doubtful
        case unhealthy
    }

    package let rule: HealthRule
    package let share: HealthShare
    /// The control group; `nil` if the rule has no comparison.
    package let control: HealthShare?
    /// The evidence against the release of the test that has the most of it.
    package let evidence: Double
    /// The evidence at which the rule trips.
    package let bound: Double
    package let outcome: Outcome

    init(_ rule: HealthRule, of counts: HealthCounts, under policy: HealthPolicy, bound: Double) {
        self.rule = rule
        self.bound = bound
        let (share, control) = (counts.release.share(of: rule), counts.control.share(of: rule))
        self.share = share
        self.control = rule.aboveControl == nil ? nil : control
        guard share.devices >= policy.devices else {
            evidence = 0
            outcome = .waiting(devices: share.devices, isControl: false)
            return
        }
        let aboveCeiling = rule.ceiling.map { HealthTest.evidence(share, above: $0) } ?? 0
        let aboveControl =
            rule.aboveControl.map {
                HealthTest.evidence(share, above: control, times: 1 + Double($0) / 100)
            } ?? 0
        evidence = max(aboveCeiling, aboveControl)
        if evidence >= bound {
            outcome = .unhealthy
        } else if rule.ceiling == nil, control.devices < policy.devices {
            outcome = .waiting(devices: control.devices, isControl: true)
        } else if rule.ceiling.map({ share.percent > $0 }) ?? false || aboveControl > 0 {
            outcome = .doubtful
        } else {
            outcome = .healthy
        }
    }
}

/// The judgement of a release by all of its rules.
package struct HealthVerdict: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case healthy
        /// There is too little data, or not enough to tell whether the release exceeds a limit.
        case waiting
        case unhealthy
        /// The reports after a resumption are not judged yet.
        case coolingDown = "cooling-down"
    }

    package let watch: HealthWatch
    package let policy: HealthPolicy
    package let counts: HealthCounts
    package let checks: [HealthCheck]
    private let isCoolingDown: Bool

    /// Judges the reports of a watch.
    ///
    /// - Parameter counts: The numbers of devices since the watch began; `nil` before its beginning.
    package init(of counts: HealthCounts?, in watch: HealthWatch, under policy: HealthPolicy) {
        self.watch = watch
        self.policy = policy
        isCoolingDown = counts == nil
        let counts = counts ?? HealthCounts()
        self.counts = counts
        let bound = HealthTest.bound(watch: watch.number, tests: policy.tests)
        checks = policy.rules.map { HealthCheck($0, of: counts, under: policy, bound: bound) }
    }

    package var state: State {
        if isCoolingDown { return .coolingDown }
        if tripped != nil { return .unhealthy }
        return checks.allSatisfy { $0.outcome == .healthy } ? .healthy : .waiting
    }

    /// The tripped rule with the strongest action, or with the most evidence among those.
    package var tripped: HealthCheck? {
        checks.filter { $0.outcome == .unhealthy }.max { one, other in
            (one.rule.action, one.evidence) < (other.rule.action, other.evidence)
        }
    }

    /// Whether a plan may go on to its next step.
    package var permitsStep: Bool { state == .healthy && counts.devicesSinceStep >= policy.devices }

    /// The verdict in a sentence, and the devices that it leaves out in another.
    ///
    /// - Parameter hasHeldStep: Whether the next plan step waits for the verdict.
    package func note(hasHeldStep: Bool) -> String {
        guard counts.unattributed > 0 else { return sentence(hasHeldStep: hasHeldStep) }
        let devices = counts.unattributed == 1 ? "1 device" : "\(counts.unattributed) devices"
        return
            "\(sentence(hasHeldStep: hasHeldStep)) Not counted: \(devices) that reported without naming a release, since "
            + "several releases offer the version. Roll one of them back, or give it another version."
    }

    private func sentence(hasHeldStep: Bool) -> String {
        switch state {
        case .coolingDown: return "Reports are judged from \(watch.since.rfc3339) on."
        case .unhealthy:
            guard let tripped else { return "" }
            return tripped.sentence
        case .waiting:
            let waiting = checks.compactMap { check -> String? in
                switch check.outcome {
                case .waiting(let devices, let isControl):
                    "\(check.rule.metric.rawValue) has \(devices) of \(policy.devices) devices"
                        + (isControl ? " in the control group" : "")
                case .doubtful:
                    "\(check.rule.metric.rawValue) is at \(check.share.percent.percent) % of \(check.share.devices) "
                        + "devices, above its limit, which may be chance"
                case .healthy, .unhealthy: nil
                }
            }
            return "Waits for data: \(waiting.joined(separator: ", "))."
        case .healthy:
            guard hasHeldStep, !permitsStep else { return "All rules are met." }
            return
                "All rules are met. The next plan step waits for data: \(counts.devicesSinceStep) of \(policy.devices) "
                + "devices since the last one."
        }
    }
}

extension HealthCheck {
    /// The excess in a sentence.
    package var sentence: String {
        let limits = [
            rule.ceiling.map { "at most \($0.percent) %" },
            rule.aboveControl.map { percent in
                "at most \(percent) % above the control group's \(control?.percent.percent ?? "0") %"
            },
        ].compactMap(\.self)
        return
            "\(rule.metric.rawValue): \(share.affected) of \(share.devices) devices (\(share.percent.percent) %), allowed "
            + "are \(limits.joined(separator: " and "))."
    }

    /// The result in the operators' format, which audit entries have as well.
    package var json: JSON {
        let state =
            switch outcome {
            case .healthy: "healthy"
            case .waiting, .doubtful: "waiting"
            case .unhealthy: "unhealthy"
            }
        return .object([
            "metric": .string(rule.metric.rawValue), "state": .string(state),
            "devices": .integer(Int64(share.devices)), "affected": .integer(Int64(share.affected)),
            "percent": share.percent.json, "ceiling": rule.ceiling?.json,
            "aboveControl": rule.aboveControl.map { .integer(Int64($0)) },
            "control": control.map { control in
                .object([
                    "devices": .integer(Int64(control.devices)), "affected": .integer(Int64(control.affected)),
                    "percent": control.percent.json,
                ])
            },
            "slowerThan": rule.slowerThan.map { .integer(Int64($0)) }, "evidence": Self.shown(evidence),
            "bound": Self.shown(bound), "action": .string(rule.action.rawValue),
        ])
    }

    /// The highest evidence that is shown.
    private static let highestShown = 1e6

    /// Returns a number with two digits after the point.
    private static func shown(_ number: Double) -> JSON {
        let hundredths = Int((min(number, highestShown) * 100).rounded(.down))
        return .number("\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)")
    }
}

extension HealthShare {
    /// The share of affected devices.
    package var percent: BasisPoints {
        devices == 0 ? .none : BasisPoints(affected * BasisPoints.all.value / devices) ?? .all
    }
}

extension HealthVerdict {
    /// Returns the verdict in the operators' format.
    ///
    /// - Parameter hasHeldStep: Whether the next plan step waits for the verdict.
    package func json(hasHeldStep: Bool, at now: Timestamp) -> JSON {
        .object([
            "state": .string(state.rawValue), "note": .string(note(hasHeldStep: hasHeldStep)),
            "since": .string(watch.since.rfc3339), "judgedAt": .string(now.rfc3339),
            "watch": .integer(Int64(watch.number)), "devices": .integer(Int64(counts.release.devices)),
            "controlDevices": .integer(Int64(counts.control.devices)),
            "devicesSinceStep": hasHeldStep ? .integer(Int64(counts.devicesSinceStep)) : nil,
            "unattributedDevices": counts.unattributed == 0 ? nil : .integer(Int64(counts.unattributed)),
            "required": .integer(Int64(policy.devices)), "rules": .array(checks.map(\.json)),
        ])
    }
}
