package import Ground

/// What operators have done to a release since they made it.
package enum ReleaseCourse: Sendable, Hashable {
    case running
    /// The plan stands still; who is in stays in.
    case paused(since: Timestamp)
    /// Offered only to devices that have it; the plan stands still.
    case halted(since: Timestamp)
    /// Taken to everyone whom its rules let in.
    case completed(at: Timestamp)
    /// Taken back, for good.
    case rolledBack(at: Timestamp)

    /// Since when the plan stands still; `nil` while it runs.
    var stoppedSince: Timestamp? {
        switch self {
        case .running, .completed: nil
        case .paused(let since), .halted(let since), .rolledBack(let since): since
        }
    }
}

/// How a release stands at an instant, as operators are told.
package enum ReleaseState: String, Sendable, CaseIterable {
    case scheduled
    case active
    case paused
    case halted
    case completed
    case superseded
    case rolledBack = "rolled-back"
}

/// What an operator does to a release.
package enum ReleaseAction: Sendable, Equatable {
    case pause
    case resume
    case halt
    case complete
    case widen(BasisPoints)
    case reschedule(Timestamp)
    case rollBack

    /// The action without what it carries.
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
    /// Every transition that there is.
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
