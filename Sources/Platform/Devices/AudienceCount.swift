package import Domain

/// How many of the devices that were seen a release is for.
package struct AudienceCount: Sendable, Equatable {
    /// The instant at which its rules were looked at, and the percentage that they were looked at with.
    package internal(set) var instant: Timestamp
    package internal(set) var percent: BasisPoints
    /// Devices of the channel that were seen in the last ``SeenWindow/days`` days.
    package internal(set) var seen = 0
    package internal(set) var matching = 0
    /// Of those that match: who has the version, and who does not say what it has.
    package internal(set) var holding = 0
    package internal(set) var silent = 0
    /// Each rule that kept devices out as the first one, most devices first.
    package internal(set) var refusals: [Refused] = []
    package internal(set) var coverage: Coverage

    package struct Refused: Sendable, Equatable {
        package let rule: Refusal
        package internal(set) var devices: Int
    }

    /// How far the numbers can be trusted.
    package struct Coverage: Sendable, Equatable {
        /// Of all that were seen.
        package internal(set) var sayingWhatTheyHave = 0
        /// Devices that said more than is kept of them.
        package internal(set) var cut = 0
        /// When the first device of the channel was noted; `nil` where none was.
        package internal(set) var since: Timestamp?
        /// Of the whole server.
        package let figures: DevicesSeen.Figures
    }
}
