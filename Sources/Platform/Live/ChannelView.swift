package import Domain

/// What one channel of an app is told until the next change or boundary; immutable, swapped whole.
package final class ChannelView: Sendable {
    package let app: AppID
    package let channel: ChannelName
    package let entries: [Entry]
    /// The next instant at which the entries change by themselves.
    package let boundary: Timestamp?
    package let configVersion: Int64
    package let cursor: Cursor

    /// A package, with what its releases come to.
    package struct Entry: Sendable {
        package let package: Package
        package let current: Offer?
        package let next: Offer?
    }

    /// A release, with all that can be downloaded for it.
    package struct Offer: Sendable {
        package let release: Release
        package let mandatoryAfter: Rank?
        package let version: ReleasedVersion
        /// Smaller than the full archive, from the bases that the release's plan names.
        package let patches: [SignedArtifact]
    }

    /// Resolves every package of the channel at an instant.
    ///
    /// - Parameter keys: Those in use; signatures by others are left out.
    init(of state: AppState, channel: ChannelName, at instant: Timestamp, keys: Set<KeyID>, epoch: String) {
        app = state.app
        self.channel = channel
        configVersion = state.configVersion
        cursor = Cursor(epoch: epoch, sequence: state.sequence)
        var entries: [Entry] = []
        var boundaries: [Timestamp] = []
        for package in state.packages {
            let releases = (state.releases[package.id] ?? []).filter { $0.channel == channel }
            let standing = Standing(of: releases, at: instant)
            let versions = state.versions[package.id] ?? [:]
            let offers = [standing.current, standing.next].map { offer in
                offer.flatMap { Self.offer($0, among: releases, versions: versions, keys: keys) }
            }
            if let boundary = standing.boundary { boundaries.append(boundary) }
            guard offers[0] != nil || offers[1] != nil else { continue }
            entries.append(Entry(package: package, current: offers[0], next: offers[1]))
        }
        self.entries = entries
        boundary = boundaries.min()
    }

    private static func offer(
        _ offer: Standing.Offer, among releases: [Release], versions: [VersionString: ReleasedVersion],
        keys: Set<KeyID>
    ) -> Offer? {
        guard let version = versions[offer.release.version] else { return nil }
        let bases = PatchPlan.bases(of: offer.release, among: releases)
        let patches = PatchChoice.worthwhile(version.patches, from: bases, insteadOf: version.full)
        let full = SignedArtifact(
            artifact: version.full.artifact, signatures: version.full.signatures.filter { keys.contains($0.keyID) })
        return Offer(
            release: offer.release,
            mandatoryAfter: offer.mandatoryAfter,
            version: ReleasedVersion(
                version: version.version, entry: version.entry, urlPrefix: version.urlPrefix, full: full, patches: []),
            patches: patches.map { patch in
                SignedArtifact(
                    artifact: patch.artifact, signatures: patch.signatures.filter { keys.contains($0.keyID) })
            })
    }
}
