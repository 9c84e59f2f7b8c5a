/// A change that needs an approval on a protected channel.
package enum ApprovalAction: String, Sendable, CaseIterable {
    case createRelease = "release.create"
    case widenRelease = "release.widen"
    case rescheduleRelease = "release.reschedule"
    case resumeRelease = "release.resume"
    case completeRelease = "release.complete"
    case judgeRelease = "release.health"
    case createReleaseSet = "release-set.create"
    case widenReleaseSet = "release-set.widen"
    case rescheduleReleaseSet = "release-set.reschedule"
    case resumeReleaseSet = "release-set.resume"
    case completeReleaseSet = "release-set.complete"
    case judgeReleaseSet = "release-set.health"

    /// The change without its object.
    package enum Kind: String, Sendable, CaseIterable {
        case create, widen, reschedule, resume, complete, health
    }

    package var kind: Kind {
        switch self {
        case .createRelease, .createReleaseSet: .create
        case .widenRelease, .widenReleaseSet: .widen
        case .rescheduleRelease, .rescheduleReleaseSet: .reschedule
        case .resumeRelease, .resumeReleaseSet: .resume
        case .completeRelease, .completeReleaseSet: .complete
        case .judgeRelease, .judgeReleaseSet: .health
        }
    }

    /// Whether the change is for a release set.
    package var isOfSet: Bool {
        switch self {
        case .createRelease, .widenRelease, .rescheduleRelease, .resumeRelease, .completeRelease, .judgeRelease: false
        case .createReleaseSet, .widenReleaseSet, .rescheduleReleaseSet, .resumeReleaseSet, .completeReleaseSet,
            .judgeReleaseSet:
            true
        }
    }

    package init(_ kind: Kind, ofSet isOfSet: Bool) {
        self =
            switch kind {
            case .create: isOfSet ? .createReleaseSet : .createRelease
            case .widen: isOfSet ? .widenReleaseSet : .widenRelease
            case .reschedule: isOfSet ? .rescheduleReleaseSet : .rescheduleRelease
            case .resume: isOfSet ? .resumeReleaseSet : .resumeRelease
            case .complete: isOfSet ? .completeReleaseSet : .completeRelease
            case .health: isOfSet ? .judgeReleaseSet : .judgeRelease
            }
    }
}

extension ReleaseAction.Kind {
    /// The approval that the action needs on a protected channel; `nil` for actions that stop or take back.
    package var approval: ApprovalAction.Kind? {
        switch self {
        case .widen: .widen
        case .reschedule: .reschedule
        case .resume: .resume
        case .complete: .complete
        case .pause, .halt, .rollBack: nil
        }
    }
}
