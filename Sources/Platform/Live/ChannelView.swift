package import Domain
package import Ground

/// The state of one channel that devices get until the next change or boundary; immutable and replaced as a whole.
package final class ChannelView: Sendable {
    package let app: AppID
    package let channel: ChannelName
    package let entries: [Entry]
    /// The legacy keys in use, oldest first; each has signed every archive.
    package let legacyKeys: [KeyID]
    /// The next instant at which the entries change by themselves.
    package let boundary: Timestamp?
    package let configVersion: Int64
    package let cursor: Cursor

    private let positions: [PackageID: Int]
    /// The signatures over pages' permissions, by statement.
    private let permissions: [PagePermissions.Statement: [Signature]]

    /// The releases from which each device's decision is resolved.
    let snapshot: ReleaseSnapshot
    /// The releases that devices may be offered.
    package var releases: [Release] { snapshot.packages.values.flatMap { $0.candidates.map(\.release) } }
    /// The scheduled and halted releases that other releases hide from every device.
    let hidden: [Release]
    /// The instant of the view: until it is replaced, every response is as of this instant.
    package let instant: Timestamp
    /// The packages with conditional releases.
    let questions: [Question]

    /// A package with conditional releases.
    struct Question: Sendable {
        let package: PackageID
        /// The decision for a device that sends no facts.
        let plain: DeviceView.Choice
    }

    /// A package with the decision for one device, or for a device that sends no facts.
    package struct Entry: Sendable {
        package let package: Package
        package internal(set) var current: Offer?
        package internal(set) var next: Offer?
        /// The versions that devices may have: every version that was ever released, or that a build ships.
        package let released: Set<VersionString>
        /// The downloads of every release that a device may be offered, by release.
        let downloads: [ReleaseID: Downloads]
        /// Whether a release may have made an update mandatory.
        let hasMandatory: Bool
    }

    /// A decision for a device, with the downloads of its release.
    package struct Offer: Sendable {
        package let decision: ReleaseDecision
        package let downloads: Downloads

        package var release: Release { decision.release }
    }

    /// The downloadable archive and patches of a release.
    package struct Downloads: Sendable {
        /// The number of times that releases of the package were halted and resumed.
        package let haltChanges: Int
        package let version: ReleasedVersion
        /// The patches from the planned bases that are smaller than the full archive.
        package let patches: [SignedArtifact]
        package let plannedBases: [VersionString]
        /// The bases that have patches, including those that are too large to be offered.
        package let reachedBases: Set<VersionString>
        /// The patches from further bases that devices requested.
        package let demanded: [SignedArtifact]
        /// The bases of ``patches`` and ``demanded``.
        package let patchBases: Set<VersionString>
    }

    /// Returns the entry of a package; `nil` if devices get none.
    package func entry(of package: PackageID) -> Entry? { positions[package].map { entries[$0] } }

    /// Returns the permissions of an offer's pages with their signatures; `nil` if there are none, or no key signs.
    package func permissions(
        in offer: Offer, of package: Package
    ) -> (permissions: PagePermissions, signatures: [Signature])? {
        guard let declared = package.permissions,
            let signatures = permissions[PagePermissions.Statement(of: offer.downloads.version, in: package, declared)],
            !signatures.isEmpty
        else { return nil }
        return (declared, signatures)
    }

    /// The blobs of every archive and patch that responses name.
    package var named: Set<SHA256Digest> {
        var named: Set<SHA256Digest> = []
        for downloads in entries.flatMap(\.downloads.values) {
            named.insert(downloads.version.full.artifact.blob)
            named.formUnion(downloads.version.archives.values.map(\.blob))
            named.formUnion((downloads.patches + downloads.demanded).map(\.artifact.blob))
        }
        return named
    }

    /// Resolves every package of the channel at an instant, for a device that sends no facts.
    ///
    /// - Parameters:
    ///   - audienceCache: The lists and tables that the rules of the releases need.
    ///   - permissions: The signatures over pages' permissions.
    ///   - keys: The keys in use; signatures by other keys are omitted.
    ///   - legacyKeys: The legacy keys among them.
    init(
        of state: AppState, channel: ChannelName, at instant: Timestamp, audienceCache: AudienceCache,
        permissions: [PagePermissions.Statement: [Signature]], keys: Set<KeyID>, legacyKeys: [KeyID],
        dialects: DialectList, epoch: String
    ) {
        self.permissions = permissions
        self.legacyKeys = legacyKeys
        self.instant = instant
        app = state.app
        self.channel = channel
        configVersion = state.configVersion
        cursor = Cursor(epoch: epoch, sequence: state.sequence)
        let own = state.releases.mapValues { $0.filter { $0.channel == channel } }
        snapshot = ReleaseSnapshot(of: state, own, at: instant, audienceCache: audienceCache)
        var resolution = Resolution(snapshot, facts: .none, at: instant)
        var entries: [Entry] = []
        var questions: [Question] = []
        for package in state.packages {
            guard let releases = snapshot.packages[package.id] else { continue }
            let all = own[package.id] ?? []
            let versions = state.versions[package.id] ?? [:]
            let shipped = state.shipped[package.id] ?? []
            var downloads: [ReleaseID: Downloads] = [:]
            for candidate in releases.candidates {
                downloads[candidate.release.id] = Self.downloads(
                    candidate.release, among: all, shipped: shipped, versions: versions, keys: keys,
                    layouts: dialects.layouts(of: package))
            }
            guard !downloads.isEmpty else { continue }
            var entry = Entry(
                package: package, current: nil, next: nil,
                released: Set((state.releases[package.id] ?? []).map(\.version) + shipped),
                downloads: downloads, hasMandatory: releases.hasMandatory)
            let decision = resolution.decision(for: package.id)
            entry.take(decision)
            if releases.dependsOnFacts(at: instant) || releases.hasMandatory {
                questions.append(
                    Question(
                        package: package.id, plain: DeviceView.Choice(position: entries.count, decision: decision)))
            }
            entries.append(entry)
        }
        self.entries = entries
        self.questions = questions
        hidden = own.values.joined().filter { [snapshot] release in
            guard !release.hasEnded, release.isHalted || !release.isActive(at: instant) else { return false }
            let lowest = snapshot.packages[release.package]?.candidates.last?.release
            return lowest.map { release.rank < $0.rank } ?? true
        }
        positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.package.id, $0) })
        let ends = state.packages.compactMap(\.onlineUntil).filter { $0 > instant }
        boundary = (snapshot.packages.values.compactMap(\.boundary) + ends).min()
    }

    /// The number of packages with conditional releases.
    package var conditionalCount: Int { questions.count }

    /// Returns the index of a package among the entries.
    func position(of package: PackageID) -> Int? { positions[package] }

    private static func downloads(
        _ release: Release, among releases: [Release], shipped: [VersionString],
        versions: [VersionString: ReleasedVersion], keys: Set<KeyID>, layouts: Set<Layout>
    ) -> Downloads? {
        guard let version = versions[release.version] else { return nil }
        let bases = PatchCoverage.bases(
            of: release, among: releases, shipped: shipped, archiveSize: version.full.artifact.size)
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
        return Downloads(
            haltChanges: releases.reduce(0) { $0 + $1.haltChanges },
            version: ReleasedVersion(
                version: version.version, entry: version.entry, urlPrefix: version.urlPrefix, full: full, patches: [],
                archives: version.archives.filter { layouts.contains($0.key) }),
            patches: planned, plannedBases: bases, reachedBases: Set(version.patches.compactMap(\.artifact.base)),
            demanded: demanded,
            patchBases: Set((planned + demanded).compactMap(\.artifact.base)))
    }
}

extension ChannelView.Entry {
    /// Applies the decision for a device; a release without files is not offered.
    mutating func take(_ decision: PackageDecision) {
        current = decision.current.flatMap(offer)
        next = decision.next.flatMap(offer)
    }

    private func offer(_ decision: ReleaseDecision) -> ChannelView.Offer? {
        downloads[decision.releaseID].map { ChannelView.Offer(decision: decision, downloads: $0) }
    }
}

extension ReleaseSnapshot {
    /// - Parameter releases: The releases of one channel, by package.
    fileprivate init(
        of state: AppState, _ releases: [PackageID: [Release]], at instant: Timestamp, audienceCache: AudienceCache
    ) {
        var packages: [PackageID: PackageReleases] = [:]
        for package in state.packages {
            guard let own = releases[package.id], !own.isEmpty else { continue }
            let versions = state.versions[package.id] ?? [:]
            packages[package.id] = PackageReleases(own, at: instant) { release in
                audienceCache.candidate(release, hasFiles: versions[release.version] != nil)
            }
        }
        self.init(
            packages: packages, disabled: Set(state.packages.filter { !$0.isEnabled }.map(\.id)), builds: state.builds)
    }
}
