package import Ground

/// The sentence that describes a change that waits for an approval.
package enum ApprovalSummary {
    /// Returns the sentence about a new group.
    package static func making(_ group: ReleaseGroup, at instant: Timestamp) -> String {
        let release = group.members[0]
        let versions = group.members.map { "\($0.package) \($0.version)" }.joined(separator: ", ")
        let steps = release.terms.rollout.steps.count
        let plan = steps == 0 ? "" : ", with a plan of \(steps) \(steps == 1 ? "step" : "steps")"
        let drop = release.terms.rollout.dropsRules ? ", one of which drops the audience rules" : ""
        let moment = release.activeTime > instant ? " from \(release.activeTime)" : ""
        let percent = release.percent(at: max(instant, release.activeTime)).percent
        return "Release \(versions) on '\(group.channel)'\(moment) at \(percent) %\(plan)\(drop)."
    }

    /// Returns the sentence about a change of a group.
    package static func changing(
        _ old: ReleaseGroup, to new: ReleaseGroup, _ kind: ApprovalAction.Kind, at instant: Timestamp
    )
        -> String
    {
        let versions = old.members.map { "\($0.package) \($0.version)" }.joined(separator: ", ")
        let id =
            switch old.id {
            case .release(let id, _): "release \(id)"
            case .set(let id): "release set \(id)"
            }
        let subject = "\(id) (\(versions)) on '\(old.channel)'"
        let moment = max(instant, old.activeTime)
        let percent = old.percent(at: moment).percent
        let dropsRules = !old.audience(at: moment).rules.isEmpty && new.audience(at: moment).rules.isEmpty
        let change = dropsRules ? ", and drop its audience rules" : ""
        return switch kind {
        case .create: making(new, at: instant)
        case .widen where percent == new.percent(at: moment).percent:
            "Drop the audience rules of \(subject). It stays at \(percent) %."
        case .widen: "Widen \(subject) from \(percent) % to \(new.percent(at: moment).percent) %\(change)."
        case .reschedule: "Move \(subject) from \(old.activeTime) to \(new.activeTime)."
        case .resume: "Resume \(subject) at \(percent) %."
        case .complete: "Take \(subject) from \(percent) % to \(BasisPoints.all.percent) %\(change)."
        case .health:
            new.terms.health == nil
                ? "Remove the health rules of \(subject)." : "Change the health rules of \(subject)."
        }
    }
}
