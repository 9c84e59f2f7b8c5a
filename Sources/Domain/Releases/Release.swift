package import Ground

/// The decision to offer a version of a package on a channel to an audience, from a given time on.
package struct Release: Sendable, Equatable, Identifiable {
    package let id: ReleaseID
    package let app: AppID
    package let package: PackageID
    package let channel: ChannelName
    package let version: VersionString
    /// The membership in a release set; `nil` for a single release.
    package let set: SetMembership?
    /// The requirements of the version.
    package let requirements: VersionRequirements
    package var terms: ReleaseTerms
    package var activeTime: Timestamp
    package let createdAt: Timestamp
    package var rank: Rank
    package var course: ReleaseCourse
    /// The revision, which grows with every change; `If-Match` is compared with it.
    package var revision: Int64
    /// The number of times that it was halted and resumed, after each of which clients may have to fetch it again.
    package var haltChanges: Int

    package init(
        id: ReleaseID, app: AppID, package: PackageID, channel: ChannelName, version: VersionString,
        set: SetMembership? = nil, requirements: VersionRequirements = .none, terms: ReleaseTerms,
        activeTime: Timestamp, createdAt: Timestamp,
        rank: Rank, course: ReleaseCourse = .running, revision: Int64 = 1, haltChanges: Int = 0
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
        self.haltChanges = haltChanges
    }

    package func isActive(at instant: Timestamp) -> Bool { instant >= activeTime }

    package var isMandatory: Bool { terms.isMandatory }

    /// Whether the release was taken back permanently.
    package var hasEnded: Bool {
        if case .rolledBack = course { true } else { false }
    }

    package var isHalted: Bool {
        if case .halted = course { true } else { false }
    }

    /// Whether devices may have got the release before it was halted.
    ///
    /// A release that was halted before its activeTime was only downloaded ahead, and no device may switch to it.
    package var keepsDevices: Bool {
        if case .halted(let since) = course { since >= activeTime } else { true }
    }

    /// Whether the release was halted or rolled back before any device could get it.
    package var neverBegan: Bool {
        switch course {
        case .halted: !keepsDevices
        case .rolledBack(let moment):
            // A halt before the activeTime has paused the plan until the end.
            elapsedUnheld(at: moment) < 0 || elapsedUnheld(at: moment) == 0 && terms.rollout.pausedFor > 0
        case .running, .paused, .completed: false
        }
    }

    /// Returns the milliseconds for which the plan has run; it stands still before a held step.
    func elapsed(at instant: Timestamp) -> Int64 {
        let elapsed = elapsedUnheld(at: instant)
        return terms.rollout.heldStep.map { min(elapsed, $0.after - 1) } ?? elapsed
    }

    /// Returns the milliseconds for which the plan would have run without held steps.
    func elapsedUnheld(at instant: Timestamp) -> Int64 {
        let end = course.stoppedSince.map { min($0, instant) } ?? instant
        return end.milliseconds - activeTime.milliseconds - terms.rollout.pausedFor
    }

    /// Returns the share of buckets that the release includes.
    package func percent(at instant: Timestamp) -> BasisPoints { terms.rollout.reached(after: elapsed(at: instant)) }

    /// Returns whether devices have to meet rules: there are some, and no step of the plan has dropped them.
    func appliesRules(at instant: Timestamp) -> Bool {
        !terms.audience.rules.isEmpty && !terms.rollout.hasDroppedRules(after: elapsed(at: instant))
    }

    /// Returns the audience, without its rules once a step of the plan has dropped them.
    package func audience(at instant: Timestamp) -> Audience {
        var audience = terms.audience
        if !appliesRules(at: instant) { audience.rules = [] }
        return audience
    }

    /// Returns the terms with the rules that apply at an instant.
    package func terms(at instant: Timestamp) -> ReleaseTerms {
        var terms = terms
        terms.audience = audience(at: instant)
        return terms
    }

    /// Returns the number of plan steps that have been reached.
    package func stepsReached(at instant: Timestamp) -> Int {
        isActive(at: instant) ? terms.rollout.stepsReached(after: elapsed(at: instant)) : 0
    }

    /// Returns the time of a plan step, counted from 1; `nil` if there is no such step.
    ///
    /// A held step comes later.
    package func moment(ofStep number: Int) -> Timestamp? {
        guard terms.rollout.steps.indices.contains(number - 1) else { return nil }
        return activeTime.adding(milliseconds: terms.rollout.pausedFor + terms.rollout.steps[number - 1].after)
    }

    /// Returns the time of the next plan step after an instant; `nil` if none follows automatically.
    package func nextStep(after instant: Timestamp) -> Timestamp? {
        guard course == .running else { return nil }
        let start = activeTime.adding(milliseconds: terms.rollout.pausedFor)
        return terms.rollout.steps.prefix { !$0.isHeld }.map { start.adding(milliseconds: $0.after) }
            .first { $0 > instant }
    }

    /// Returns the time from which the next plan step follows once the verdict permits it; `nil` if a step follows
    /// automatically before, or none follows.
    package func nextHeldStep(after instant: Timestamp) -> Timestamp? {
        guard course == .running, nextStep(after: instant) == nil, let held = terms.rollout.heldStep else { return nil }
        return activeTime.adding(milliseconds: terms.rollout.pausedFor + held.after)
    }

    /// Whether the release includes only some buckets at some time, or orders them for downloads.
    package var needsPositions: Bool {
        terms.downloads != nil
            || ([terms.rollout.percent] + terms.rollout.steps.map(\.percent)).contains { $0 > .none && $0 < .all }
    }

    /// Returns whether every device gets the release, unless one of higher rank hides it.
    ///
    /// For a release of a set, returns whether every device gets the whole set.
    package func isForEveryone(at instant: Timestamp) -> Bool {
        isForClientsWithoutFacts(at: instant) && terms.floor == nil && !isHalted && !hasEnded
    }

    /// Returns whether clients that send no facts get the release, unless one of higher rank hides it.
    ///
    /// Ignores whether the release is halted or has ended.
    package func isForClientsWithoutFacts(at instant: Timestamp) -> Bool {
        isForClientsWithoutFacts(at: percent(at: instant), to: audience(at: instant))
    }

    /// Whether clients that send no facts get the release at the end of its plan, unless one of higher rank hides it.
    package var reachesClientsWithoutFactsAtEnd: Bool {
        var final = terms
        final.finishPlan()
        return isForClientsWithoutFacts(at: final.rollout.percent, to: final.audience)
    }

    private func isForClientsWithoutFacts(at percent: BasisPoints, to audience: Audience) -> Bool {
        percent == .all && audience.isUnlimited && terms.floor?.withoutHave != .withhold && requirements == .none
            && set?.isPlain ?? true
    }
}

/// The number of a release, unique on its server.
package struct ReleaseID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ReleaseID, right: ReleaseID) -> Bool { left.value < right.value }

    package var description: String { String(value) }
}
