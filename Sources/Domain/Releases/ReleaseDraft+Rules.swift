package import Ground

extension ReleaseDraft {
    /// Milliseconds by which a moment may have passed when the server reads it: clocks differ, and a request takes time.
    package static let momentTolerance: Int64 = 60_000

    /// Throws `invalidRequest` for a moment that has passed, unless the caller says that the release is to begin at once.
    ///
    /// - Parameters:
    ///   - activeTime: The moment that the caller names; `nil` for none.
    ///   - beginsNow: Whether the caller says so.
    package static func requireMoment(
        _ activeTime: Timestamp?, beginsNow: Bool, at instant: Timestamp
    ) throws(PlatformError) {
        guard let activeTime else { return }
        if beginsNow, activeTime > instant {
            throw PlatformError(
                .invalidRequest,
                "'now' says that the release begins at once, and 'activeTime' \(activeTime) lies ahead: give one of the two."
            )
        }
        guard !beginsNow, activeTime < instant.adding(milliseconds: -momentTolerance) else { return }
        throw PlatformError(
            .invalidRequest,
            "'activeTime' \(activeTime) has passed; it is \(instant) here. Give a later one, or 'now': true to begin at once."
        )
    }

    /// The release that offers the same already: the same version on the same terms, scheduled for the same moment, or on
    /// offer if the draft begins at once.
    ///
    /// The order of devices, which is drawn anew for each release, is left out of account.
    ///
    /// - Parameters:
    ///   - releases: Of its package.
    ///   - set: The set that the draft is one of.
    func duplicate(among releases: [Release], in set: SetMembership?, at instant: Timestamp) -> Release? {
        releases.first { other in
            guard other.channel == channel, other.version == version, other.set?.versions == set?.versions,
                other.terms.isSame(as: terms)
            else { return false }
            let state = other.state(among: releases, at: instant)
            let isAhead = activeTime.map { $0 > instant } ?? false
            if isAhead { return other.activeTime == activeTime && state == .scheduled }
            return [.active, .paused, .completed].contains(state)
        }
    }

    /// Throws `releaseExists`, with the number of the release, if one offers the same already.
    package func requireNew(
        among releases: [Release], in set: SetMembership?, at instant: Timestamp
    ) throws(PlatformError) {
        guard refusesDuplicate, let other = duplicate(among: releases, in: set, at: instant) else { return }
        let subject = other.set.map { "Release set \($0.id)" } ?? "Release \(other.id)"
        throw PlatformError(
            .releaseExists,
            "\(subject) offers \(package) \(version) on '\(channel)' on the same terms already, so none was made. Change that "
                + "one, or send 'again': true to make another.",
            facts: [
                other.set.map { .init("releaseSet", .integer($0.id.value)) }
                    ?? .init("release", .integer(other.id.value))
            ])
    }
}

extension ReleaseTerms {
    /// Whether the terms are equal apart from the order of devices.
    fileprivate func isSame(as other: ReleaseTerms) -> Bool {
        audience == other.audience && rollout.percent == other.rollout.percent && rollout.steps == other.rollout.steps
            && isMandatory == other.isMandatory && updateMode == other.updateMode && isWifiOnly == other.isWifiOnly
            && floor == other.floor && downloads?.devices == other.downloads?.devices
            && downloads?.bytesPerSecond == other.downloads?.bytesPerSecond
    }
}
