package import Ground

/// The retirement of a version, which cannot be released any more: time, author and reason.
package struct Retirement: Sendable, Equatable {
    package let time: Timestamp
    /// The author's name in the audit log.
    package let actor: String
    package let reason: String

    /// The limit on the bytes of a reason.
    package static let maximumReasonLength = 500

    package init(time: Timestamp, actor: String, reason: String) {
        self.time = time
        self.actor = actor
        self.reason = reason
    }

    /// Returns the release that prevents a version's retirement, because it offers the version now or later.
    ///
    /// Returns the earliest one if there are several.
    ///
    /// - Parameter releases: The releases of the package, on every channel.
    package static func obstacle(
        to version: VersionString, among releases: [Release], at instant: Timestamp
    ) -> Release? {
        releases.filter { release in
            guard release.version == version else { return false }
            // A live release is one that no other release hides at its start, or now if it has begun.
            let moment = max(release.activeTime, instant)
            let own = releases.filter { $0.channel == release.channel }
            return PackageReleases.live(own, at: moment).contains { $0.id == release.id }
        }.min { ($0.activeTime, $0.id) < ($1.activeTime, $1.id) }
    }
}
