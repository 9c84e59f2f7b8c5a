package import Ground

/// The decision to offer a version of a package on a channel, to an audience, from a moment on.
package struct Release: Sendable, Equatable, Identifiable {
    package let id: ReleaseID
    package let app: AppID
    package let package: PackageID
    package let channel: ChannelName
    package let version: VersionString
    /// The set that it is one of.
    package let set: SetMembership?
    /// What the version asks of the host app.
    package let requirements: VersionRequirements
    package var terms: ReleaseTerms
    package var activeTime: Timestamp
    package let createdAt: Timestamp
    package var rank: Rank
    package var course: ReleaseCourse
    /// Counts up at every change: what `If-Match` is compared with.
    package var revision: Int64
    /// How often it was halted and let go on again: whenever that happens, clients may have to fetch what they have had.
    package var turns: Int

    package init(
        id: ReleaseID, app: AppID, package: PackageID, channel: ChannelName, version: VersionString,
        set: SetMembership? = nil, requirements: VersionRequirements = .none, terms: ReleaseTerms,
        activeTime: Timestamp, createdAt: Timestamp,
        rank: Rank, course: ReleaseCourse = .running, revision: Int64 = 1, turns: Int = 0
    ) {
        self.id = id
        self.app = app
        self.package = package
        self.channel = channel
        self.version = version
        self.set = set
        self.requirements = requirements
        self.terms = terms
        self.activeTime = activeTime
        self.createdAt = createdAt
        self.rank = rank
        self.course = course
        self.revision = revision
        self.turns = turns
    }

    package func isActive(at instant: Timestamp) -> Bool { instant >= activeTime }

    package var isMandatory: Bool { terms.isMandatory }

    /// Whether it was taken back, for good.
    package var hasEnded: Bool {
        if case .rolledBack = course { true } else { false }
    }

    package var isHalted: Bool {
        if case .halted = course { true } else { false }
    }

    /// Whether devices may have got it before it was halted.
    ///
    /// One that was halted before its moment was only downloaded ahead, and nobody is to switch to it.
    package var keepsDevices: Bool {
        if case .halted(let since) = course { since >= activeTime } else { true }
    }

    /// Milliseconds for which the plan has run.
    func elapsed(at instant: Timestamp) -> Int64 {
        let end = course.stoppedSince.map { min($0, instant) } ?? instant
        return end.milliseconds - activeTime.milliseconds - terms.rollout.pausedFor
    }

    /// The share of buckets that is in.
    package func percent(at instant: Timestamp) -> BasisPoints { terms.rollout.reached(after: elapsed(at: instant)) }

    /// How many steps of the plan have come.
    package func stepsReached(at instant: Timestamp) -> Int {
        isActive(at: instant) ? terms.rollout.stepsReached(after: elapsed(at: instant)) : 0
    }

    /// When a step of the plan came, counted from 1; `nil` where there is none of that number.
    package func moment(ofStep number: Int) -> Timestamp? {
        guard terms.rollout.steps.indices.contains(number - 1) else { return nil }
        return activeTime.adding(milliseconds: terms.rollout.pausedFor + terms.rollout.steps[number - 1].after)
    }

    /// When the next step of the plan comes, past its moment; `nil` where none does by itself.
    package func nextStep(after instant: Timestamp) -> Timestamp? {
        guard course == .running else { return nil }
        let start = activeTime.adding(milliseconds: terms.rollout.pausedFor)
        return terms.rollout.steps.map { start.adding(milliseconds: $0.after) }.first { $0 > instant }
    }

    /// Whether some buckets are in and others are not, now or later, or come in an order to download.
    package var needsPositions: Bool {
        terms.downloads != nil
            || ([terms.rollout.percent] + terms.rollout.steps.map(\.percent)).contains { $0 > .none && $0 < .all }
    }

    /// Whether every device gets it, whatever it says, if nothing of higher rank comes before it.
    ///
    /// Of a release of a set, whether every device gets all of the set.
    package func isForEveryone(at instant: Timestamp) -> Bool {
        percent(at: instant) == .all && terms.audience.isUnlimited && terms.floor == nil && requirements == .none
            && !isHalted && !hasEnded && set?.isPlain ?? true
    }
}

/// The number of a release, unique on its server.
package struct ReleaseID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ReleaseID, right: ReleaseID) -> Bool { left.value < right.value }

    package var description: String { String(value) }
}
