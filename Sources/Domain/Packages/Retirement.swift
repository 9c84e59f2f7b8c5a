/// That a version is not to be released any more: since when, by whom and why.
package struct Retirement: Sendable, Equatable {
    package let time: Timestamp
    /// As in the audit log.
    package let actor: String
    package let reason: String

    /// Bytes of a reason.
    package static let maximumReasonLength = 500

    package init(time: Timestamp, actor: String, reason: String) {
        self.time = time
        self.actor = actor
        self.reason = reason
    }

    /// The release that keeps a version from being retired: devices get the version by it, or will.
    ///
    /// Of several the one that takes effect first.
    ///
    /// - Parameter releases: Of the package, on every channel.
    package static func obstacle(
        to version: VersionString, among releases: [Release], at instant: Timestamp
    ) -> Release? {
        releases.filter { release in
            guard release.version == version else { return false }
            // When it takes effect, or now, nothing on its channel hides it.
            let moment = max(release.activeTime, instant)
            let own = releases.filter { $0.channel == release.channel }
            return PackageReleases.live(own, at: moment).contains { $0.id == release.id }
        }.min { ($0.activeTime, $0.id) < ($1.activeTime, $1.id) }
    }
}
