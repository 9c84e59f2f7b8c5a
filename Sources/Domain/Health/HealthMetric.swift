/// A kind of harm that a release may do to devices, as they report it.
package enum HealthMetric: String, Sendable, CaseIterable {
    case failures
    case crashes
    case whiteScreens
    case scriptErrors
    case missingResources
    /// The page loads that took longer than a limit.
    case loadTime

    /// The events that show the harm; for ``loadTime``, those that have the duration.
    package var events: Set<String> {
        switch self {
        case .failures: ["downloadFailed", "verifyFailed", "applyFailed", "failed"]
        case .crashes: ["crash"]
        case .whiteScreens: ["whiteScreen"]
        case .scriptErrors: ["scriptError"]
        case .missingResources: ["resourceMissing"]
        case .loadTime: ["pageLoad"]
        }
    }

    /// Whether devices without the release show how often the harm happens anyway.
    ///
    /// Failures happen while devices get a version, and devices that keep theirs have none.
    package var hasControl: Bool { self != .failures }
}

/// The action that a tripped health rule takes.
package enum HealthAction: String, Sendable, CaseIterable, Comparable {
    case pause
    case halt
    case rollBack = "rollback"

    /// Orders actions by their strength.
    package static func < (one: HealthAction, other: HealthAction) -> Bool { one.strength < other.strength }

    private var strength: Int {
        switch self {
        case .pause: 0
        case .halt: 1
        case .rollBack: 2
        }
    }
}
