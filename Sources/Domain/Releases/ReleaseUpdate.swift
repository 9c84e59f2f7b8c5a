package import Ground

/// A release after a change, with the event that announces the change.
package struct ReleaseUpdate: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The release is new; its id, and that of its set, are assigned when it is stored.
        case made
        /// An operator changed the release.
        case changed
        /// The activeTime of the release, or a step of its plan, has come.
        case reached
    }

    package let kind: Kind
    package let release: Release
    package let event: Event.Subject
    /// The number of plan steps that this event or earlier ones announce.
    package let announcedSteps: Int

    init(_ kind: Kind, _ release: Release, _ event: Event.Subject, announcedSteps: Int) {
        self.kind = kind
        self.release = release
        self.event = event
        self.announcedSteps = announcedSteps
    }

    /// Creates the update of an operator's change.
    package init(changed release: Release, at instant: Timestamp) {
        self.init(.changed, release, release.changed, announcedSteps: release.stepsReached(at: instant))
    }

    /// Creates the update of a new release.
    init(made release: Release, at instant: Timestamp) {
        self.init(
            .made, release, release.isActive(at: instant) ? release.activated : release.scheduled,
            announcedSteps: release.stepsReached(at: instant))
    }
}

/// A release with the events that were announced.
package struct AnnouncedRelease: Sendable {
    package let release: Release
    package let isActivationAnnounced: Bool
    package let announcedSteps: Int

    package init(_ release: Release, isActivationAnnounced: Bool, announcedSteps: Int) {
        self.release = release
        self.isActivationAnnounced = isActivationAnnounced
        self.announcedSteps = announcedSteps
    }

    /// Returns whether the release becomes active at an instant and was not announced.
    ///
    /// A release that was halted before its activeTime becomes active when it is resumed.
    private func isDue(at instant: Timestamp) -> Bool {
        !isActivationAnnounced && release.isActive(at: instant) && !release.hasEnded && release.keepsDevices
    }

    private func hasDueStep(at instant: Timestamp) -> Bool {
        release.course == .running && release.stepsReached(at: instant) > announcedSteps
    }

    private func steps(at instant: Timestamp) -> Int {
        hasDueStep(at: instant) ? release.stepsReached(at: instant) : announcedSteps
    }

    /// Returns the updates that are due at an instant: activations by activeTime, then further plan steps.
    package static func due(among releases: [AnnouncedRelease], at instant: Timestamp) -> [ReleaseUpdate] {
        let activated = releases.filter { $0.isDue(at: instant) }.sorted { left, right in
            let (left, right) = (left.release, right.release)
            return (left.activeTime, left.rank, left.id) < (right.activeTime, right.rank, right.id)
        }
        // An activation announces the steps that are reached with it.
        let stepped = releases.filter { !$0.isDue(at: instant) && $0.hasDueStep(at: instant) }
            .sorted { $0.release.id < $1.release.id }
        return activated.map { own in
            ReleaseUpdate(.reached, own.release, own.release.activated, announcedSteps: own.steps(at: instant))
        }
            + stepped.map { own in
                ReleaseUpdate(.reached, own.release, own.release.changed, announcedSteps: own.steps(at: instant))
            }
    }
}

extension Release {
    fileprivate var scheduled: Event.Subject { .scheduled(package, channel, version) }
    fileprivate var activated: Event.Subject { .activated(package, channel, version) }
    fileprivate var changed: Event.Subject { .changed(package, channel, version) }
}
