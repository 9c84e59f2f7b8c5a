package import Ground

/// A request to release versions in one transaction: one version, or those of a release set.
package struct ReleaseRequest: Sendable, Equatable {
    /// The drafts, never empty.
    ///
    /// Those of a set are for different packages, sorted by id, with one channel, activeTime and terms.
    package private(set) var drafts: [ReleaseDraft]
    /// Whether the releases form a release set.
    package let isSet: Bool
    /// The replaced releases, in their ended state.
    package let takingBack: [Release]

    package init(_ draft: ReleaseDraft, takingBack ended: Release? = nil) {
        self.init(drafts: [draft], isSet: false, takingBack: ended.map { [$0] } ?? [])
    }

    /// Throws `invalidRequest` if a release set has too few or too many packages.
    package init(setOf drafts: [ReleaseDraft]) throws(PlatformError) {
        guard ReleaseGroup.sizes.contains(drafts.count) else {
            throw PlatformError(
                .invalidRequest,
                "A release set must have \(ReleaseGroup.sizes.lowerBound) to \(ReleaseGroup.sizes.upperBound) packages; this "
                    + "one has \(drafts.count).")
        }
        self.init(drafts: drafts.sorted { $0.package < $1.package }, isSet: true, takingBack: [])
    }

    package init(drafts: [ReleaseDraft], isSet: Bool, takingBack: [Release]) {
        precondition(!drafts.isEmpty, "a request names a version")
        self.drafts = drafts
        self.isSet = isSet
        self.takingBack = takingBack
    }

    package var app: AppID { drafts[0].app }
    package var channel: ChannelName { drafts[0].channel }
    package var packages: [PackageID] { drafts.map(\.package) }

    /// The version of each package of a set; `nil` for a single release.
    package var setVersions: [PackageID: VersionString]? {
        isSet ? Dictionary(drafts.map { ($0.package, $0.version) }) { first, _ in first } : nil
    }

    /// A copy that is carried out even if an identical release exists.
    package var allowingDuplicate: ReleaseRequest {
        var copy = self
        for index in copy.drafts.indices { copy.drafts[index].refusesDuplicate = false }
        return copy
    }
}

/// A release before it has its id and rank.
package struct ReleaseDraft: Sendable, Equatable {
    package let app: AppID
    package let package: PackageID
    package let channel: ChannelName
    package let version: VersionString
    package let terms: ReleaseTerms
    /// The activeTime; `nil` to begin at once.
    package let activeTime: Timestamp?
    /// Whether the release is rejected if an identical one exists.
    package var refusesDuplicate: Bool

    package init(
        app: AppID, package: PackageID, channel: ChannelName, version: VersionString, terms: ReleaseTerms,
        activeTime: Timestamp?, refusesDuplicate: Bool = false
    ) {
        self.app = app
        self.package = package
        self.channel = channel
        self.version = version
        self.terms = terms
        self.activeTime = activeTime
        self.refusesDuplicate = refusesDuplicate
    }

    /// Returns the activeTime of a release that is made at an instant.
    func begins(madeAt instant: Timestamp) -> Timestamp { activeTime ?? instant }
}

extension ReleaseDraft {
    /// The milliseconds by which a requested time may have passed, since clocks differ and requests take time.
    package static let momentTolerance: Int64 = 60_000

    /// Throws `invalidRequest` for a time that has passed, unless the caller asks to begin at once.
    ///
    /// - Parameters:
    ///   - activeTime: The requested time; `nil` for none.
    ///   - beginsNow: Whether the caller asks to begin at once.
    package static func requireMoment(
        _ activeTime: Timestamp?, beginsNow: Bool, at instant: Timestamp
    ) throws(PlatformError) {
        guard let activeTime else { return }
        if beginsNow, activeTime > instant {
            throw PlatformError(
                .invalidRequest,
                "'now' requests a release that begins at once, but 'activeTime' \(activeTime) is in the future. Give only "
                    + "one of them."
            )
        }
        guard !beginsNow, activeTime < instant.adding(milliseconds: -momentTolerance) else { return }
        throw PlatformError(
            .invalidRequest,
            "'activeTime' \(activeTime) has passed; the server's time is \(instant). Give a later one, or 'now': true to "
                + "begin at once."
        )
    }

    /// Returns the channel of a request for versions, which is `production` if the request names none.
    ///
    /// Throws `invalidRequest` if a request for a pre-release names no channel, since it would reach all users.
    ///
    /// - Parameter channels: The channels of the app.
    package static func channel(
        _ name: ChannelName?, for versions: [VersionString], among channels: [ChannelName]
    ) throws(PlatformError) -> ChannelName {
        if let name { return name }
        guard let version = versions.first(where: \.isPrerelease) else { return .production }
        let names = channels.map(\.text).sorted().joined(separator: ", ")
        throw PlatformError(
            .invalidRequest,
            "\(version) is a pre-release, which goes to no channel by default. Give 'channel' (--channel): the app has "
                + "\(names).")
    }

    /// Throws `invalidRequest` for a plan whose activeTime has passed.
    package static func requireCounting(
        _ activeTime: Timestamp?, _ terms: ReleaseTerms, at now: Timestamp
    ) throws(PlatformError) {
        guard let activeTime, !terms.rollout.steps.isEmpty, activeTime < now else { return }
        throw PlatformError(
            .invalidRequest,
            "'activeTime' \(activeTime) has passed, and the steps of 'plan' count from it. Give a later one, or leave it "
                + "out to begin at once.")
    }

    /// Returns the release that is identical to the draft.
    ///
    /// It has the same version and terms, and either the same future activeTime, or is offered now if the draft begins
    /// at once.
    ///
    /// - Parameters:
    ///   - releases: The releases of its package and channel.
    ///   - setVersions: See ``ReleaseRequest/setVersions``.
    private func duplicate(
        among releases: [Release], of setVersions: [PackageID: VersionString]?, at instant: Timestamp
    ) -> Release? {
        releases.first { other in
            guard other.version == version, other.set?.versions == setVersions, other.terms.isWritten(like: terms)
            else { return false }
            let state = other.state(among: releases, at: instant)
            let begins = begins(madeAt: instant)
            if begins > instant { return other.activeTime == begins && state == .scheduled }
            return [.active, .paused, .completed].contains(state)
        }
    }

    /// Throws `releaseExists`, with the number of the release, if an identical one exists.
    func requireNew(
        among releases: [Release], of setVersions: [PackageID: VersionString]?, at instant: Timestamp
    ) throws(PlatformError) {
        guard refusesDuplicate, let other = duplicate(among: releases, of: setVersions, at: instant) else { return }
        let subject = other.set.map { "Release set \($0.id)" } ?? "Release \(other.id)"
        throw PlatformError(
            .releaseExists,
            "\(subject) offers \(package) \(version) on '\(channel)' on the same terms already, so no release was made. "
                + "Change the existing one, or send 'again': true to make another.",
            facts: [
                other.set.map { .init("releaseSet", .integer($0.id.value)) }
                    ?? .init("release", .integer(other.id.value))
            ])
    }
}
