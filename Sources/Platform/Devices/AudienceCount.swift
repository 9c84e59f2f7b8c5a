package import Domain
package import Ground

/// The number of seen devices that a release is for.
package struct AudienceCount: Sendable, Equatable {
    /// The instant and the percentage at which the rules were evaluated.
    package internal(set) var instant: Timestamp
    package internal(set) var percent: BasisPoints
    /// The devices of the channel that were seen in the last ``SeenWindow/days`` days.
    package internal(set) var seen = 0
    package internal(set) var matching = 0
    /// The matching devices that have the version.
    package internal(set) var holding = 0
    /// The matching devices that do not report the versions that they have.
    package internal(set) var silent = 0
    /// The rules by which devices were rejected first, most devices first.
    package internal(set) var refusals: [Refused] = []
    package internal(set) var coverage: Coverage

    package struct Refused: Sendable, Equatable {
        package let rule: Refusal
        package internal(set) var devices: Int
    }

    /// The facts that limit how far the counts can be trusted.
    package struct Coverage: Sendable, Equatable {
        /// The seen devices that report the versions that they have.
        package internal(set) var reportingVersions = 0
        /// The seen devices whose facts were too long to be stored in full.
        package internal(set) var cut = 0
        /// The time when the first device of the channel was recorded; `nil` if none was.
        package internal(set) var since: Timestamp?
        /// The figures of the whole server.
        package let figures: DevicesSeen.Figures
    }
}
