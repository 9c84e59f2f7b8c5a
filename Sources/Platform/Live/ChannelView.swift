package import Domain

/// What one channel of an app is told until the next change or boundary; immutable, swapped whole.
package final class ChannelView: Sendable {
    package let app: AppID
    package let channel: ChannelName
    package let entries: [Entry]
    /// Those in use, each of which has signed every archive; the one that came first, of clients that name none, to begin with.
    package let legacyKeys: [KeyID]
    /// The next instant at which the entries change by themselves.
    package let boundary: Timestamp?
    package let configVersion: Int64
    package let cursor: Cursor

    private let positions: [PackageID: Int]

    /// A package, with what its releases come to.
    package struct Entry: Sendable {
        package let package: Package
        package let current: Offer?
        package let next: Offer?
        /// Every version that was ever released, or that a build ships: devices may have it.
        package let released: Set<VersionString>
    }

    /// A release, with all that can be downloaded for it.
    package struct Offer: Sendable {
        package let release: Release
        package let mandatoryAfter: Rank?
        package let version: ReleasedVersion
        /// Smaller than the full archive, from the bases that the release's plan names.
        package let patches: [SignedArtifact]
        package let plannedBases: [VersionString]
        /// The bases that there are patches from, whether they are worth being offered or not.
        package let reachedBases: Set<VersionString>
        /// The same from further bases, because devices asked for them.
        package let demanded: [SignedArtifact]
        /// The bases of ``patches`` and ``demanded``.
        package let patchBases: Set<VersionString>
    }

    /// What is told of a package; `nil` where nothing is.
    package func entry(of package: PackageID) -> Entry? { positions[package].map { entries[$0] } }

    /// The blobs of every archive and patch that answers name.
    package var named: Set<SHA256Digest> {
        var named: Set<SHA256Digest> = []
        for offer in entries.flatMap({ [$0.current, $0.next] }).compactMap({ $0 }) {
            named.insert(offer.version.full.artifact.blob)
            named.formUnion(offer.version.archives.values.map(\.blob))
            named.formUnion((offer.patches + offer.demanded).map(\.artifact.blob))
        }
        return named
    }

    /// Resolves every package of the channel at an instant.
    ///
    /// - Parameters:
    ///   - keys: Those in use; signatures by others are left out.
    ///   - legacyKeys: Of them those of seed 000's clients.
    init(
        of state: AppState, channel: ChannelName, at instant: Timestamp, keys: Set<KeyID>, legacyKeys: [KeyID],
        epoch: String
    ) {
        self.legacyKeys = legacyKeys
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
            let shipped = state.shipped[package.id] ?? []
            let offers = [standing.current, standing.next].map { offer in
                offer.flatMap {
                    Self.offer(
                        $0, among: releases, shipped: shipped, versions: versions, keys: keys,
                        layouts: package.dialectLayouts)
                }
            }
            if let boundary = standing.boundary { boundaries.append(boundary) }
            guard offers[0] != nil || offers[1] != nil else { continue }
            entries.append(
                Entry(
                    package: package, current: offers[0], next: offers[1],
                    released: Set((state.releases[package.id] ?? []).map(\.version) + shipped)))
        }
        self.entries = entries
        positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.package.id, $0) })
        boundary = boundaries.min()
    }

    private static func offer(
        _ offer: Standing.Offer, among releases: [Release], shipped: [VersionString],
        versions: [VersionString: ReleasedVersion], keys: Set<KeyID>, layouts: Set<Layout>
    ) -> Offer? {
        guard let version = versions[offer.release.version] else { return nil }
        let bases = PatchPlan.bases(of: offer.release, among: releases, shipped: shipped)
        func patches(from bases: [VersionString]) -> [SignedArtifact] {
            PatchChoice.worthwhile(version.patches, from: bases, insteadOf: version.full).map { patch in
                SignedArtifact(
                    artifact: patch.artifact, signatures: patch.signatures.filter { keys.contains($0.keyID) })
            }
        }
        let full = SignedArtifact(
            artifact: version.full.artifact, signatures: version.full.signatures.filter { keys.contains($0.keyID) })
        let planned = patches(from: bases)
        let demanded = patches(from: version.demand.offered(besides: bases).map(\.version))
        return Offer(
            release: offer.release,
            mandatoryAfter: offer.mandatoryAfter,
            version: ReleasedVersion(
                version: version.version, entry: version.entry, urlPrefix: version.urlPrefix, full: full, patches: [],
                archives: version.archives.filter { layouts.contains($0.key) }),
            patches: planned, plannedBases: bases, reachedBases: Set(version.patches.compactMap(\.artifact.base)),
            demanded: demanded,
            patchBases: Set((planned + demanded).compactMap(\.artifact.base)))
    }
}
