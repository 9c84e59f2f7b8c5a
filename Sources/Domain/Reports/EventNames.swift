package import Ground

/// The names of events that a package counts besides those of ``NamedEvent``.
///
/// Devices may send any name. Another one may replace a name that was not reported for its ``lifetime``.
package enum EventNames {
    /// The names that a package may have.
    package static let limit = 64
    /// The milliseconds after which an unreported name may be replaced.
    package static let lifetime: Int64 = 7 * 86_400_000
    /// The interval in milliseconds at which the use of a name is recorded.
    package static let renewal: Int64 = 86_400_000

    /// The decision about a further name.
    package enum Admission: Sendable, Equatable {
        case admitted
        /// Admitted once this name is removed.
        case replacing(String)
        /// Reports of the name count as ``ReportTotal/other``.
        case refused
    }

    /// Whether a name always counts, regardless of the limit.
    package static func isExempt(_ name: String) -> Bool {
        name == ReportTotal.other || NamedEvent(rawValue: name) != nil
    }

    /// Whether the use of a known name has to be recorded again.
    package static func isRenewed(_ countedAt: Timestamp, at now: Timestamp) -> Bool {
        abs(now.milliseconds - countedAt.milliseconds) >= renewal
    }

    /// Decides whether a further name is counted beside the known ones, which are in the order of their last use.
    package static func admission(
        beside known: [(name: String, countedAt: Timestamp)], at now: Timestamp
    ) -> Admission {
        let others = known.filter { !isExempt($0.name) }
        guard others.count >= limit else { return .admitted }
        // A clock that was far ahead may have recorded a name.
        let aged = others.first { abs(now.milliseconds - $0.countedAt.milliseconds) >= lifetime }
        return aged.map { .replacing($0.name) } ?? .refused
    }
}
