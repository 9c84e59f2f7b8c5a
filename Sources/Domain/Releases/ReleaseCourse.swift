package import Ground

/// The effect of operators' actions on a release since it was made.
package enum ReleaseCourse: Sendable, Hashable {
    case running
    /// The plan is stopped; included devices stay included.
    case paused(since: Timestamp)
    /// Only devices that have the release are offered it; the plan is stopped.
    case halted(since: Timestamp)
    /// All devices that meet the rules are included.
    case completed(at: Timestamp)
    /// The release was taken back permanently.
    case rolledBack(at: Timestamp)

    /// The time since which the plan is stopped; `nil` while it runs.
    var stoppedSince: Timestamp? {
        switch self {
        case .running, .completed: nil
        case .paused(let since), .halted(let since), .rolledBack(let since): since
        }
    }
}

/// The state of a release at an instant, as operators see it.
package enum ReleaseState: String, Sendable, CaseIterable {
    case scheduled
    case active
    case paused
    case halted
    case completed
    case superseded
    case rolledBack = "rolled-back"
}

/// An operator's action on a release.
package enum ReleaseAction: Sendable, Equatable {
    case pause
    case resume
    case halt
    case complete
    /// Raises the percentage, or keeps it if none is given, and drops the audience rules if asked to.
    case widen(BasisPoints?, withoutRules: Bool = false)
    case reschedule(Timestamp)
    case rollBack

    /// The kind of an action, without its values.
    package enum Kind: String, Sendable, CaseIterable {
        case pause
        case resume
        case halt
        case complete
        case widen
        case reschedule
        case rollBack = "rollback"
    }

    package var kind: Kind {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .halt: .halt
        case .complete: .complete
        case .widen: .widen
        case .reschedule: .reschedule
        case .rollBack: .rollBack
        }
    }
}

extension ReleaseState {
    /// The actions that the state allows, the only table of transitions; ``Release/allowed(in:at:)`` adds one exception.
    package var allowed: [ReleaseAction.Kind] {
        switch self {
        case .scheduled: [.widen, .reschedule, .halt, .rollBack]
        case .active: [.widen, .pause, .complete, .halt, .rollBack]
        case .paused: [.resume, .complete, .halt, .rollBack]
        case .completed: [.halt, .rollBack]
        case .superseded: [.halt, .rollBack]
        case .halted: [.resume, .rollBack]
        case .rolledBack: []
        }
    }
}
