package import Ground

/// The names of events that a package counts besides ``Report/namedEvents``.
///
/// Devices may send any name. A name that is no longer reported makes room for another one after its ``lifetime``.
package enum EventNames {
    /// The milliseconds after which an unreported name may be replaced.
    package static let lifetime: Int64 = 7 * 86_400_000
    /// The interval in milliseconds at which the use of a name is recorded.
    package static let renewal: Int64 = 86_400_000

    /// The room for a further name.
    package enum Room: Sendable, Equatable {
        case free
        /// There is room once this name is removed.
        case replacing(String)
        case full
    }

    /// Whether the use of a known name has to be recorded again.
    package static func isRenewed(_ countedAt: Timestamp, at now: Timestamp) -> Bool {
        abs(now.milliseconds - countedAt.milliseconds) >= renewal
    }

    /// Returns the room for a further name beside the known ones, in the order in which they were recorded.
    package static func room(beside known: [(name: String, countedAt: Timestamp)], at now: Timestamp) -> Room {
        let others = known.filter { !Report.namedEvents.contains($0.name) }
        guard others.count >= Report.maximumOtherEvents else { return .free }
        // A clock that was far ahead may have recorded a name.
        let aged = others.first { abs(now.milliseconds - $0.countedAt.milliseconds) >= lifetime }
        return aged.map { .replacing($0.name) } ?? .full
    }
}
