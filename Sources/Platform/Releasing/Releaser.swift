package import Domain
import Execution
package import Ground
import Synchronization

/// The use cases that make and change releases, with the patches that they need.
package final class Releaser: Sendable {
    let live: LiveApps
    let store: any ReleaseStore & PackageStore & VersionStore & ArtifactStore & AppStore
    let keys: KeyRing
    let blobs: any BlobStore
    let builder: PatchBuilder
    let dialects: DialectKeeper
    let devicesSeen: DevicesSeen
    let clock: any WallClock
    /// A gate for builds, each of which occupies a thread and the disk; changes of an app do not pass it.
    let builds = AsyncGate(width: 2)
    /// The pairs without a possible delta patch, which are not built again at every release.
    let withoutDelta = Mutex<[PackageName: Set<VersionPair>]>([:])

    struct PackageName: Hashable {
        let app: AppID
        let package: PackageID
    }

    /// The number of attempts to build the patches of a release outside of the app's changes.
    static let attempts = 3

    package init(
        live: LiveApps, store: any ReleaseStore & PackageStore & VersionStore & ArtifactStore & AppStore, keys: KeyRing,
        blobs: any BlobStore, builder: PatchBuilder, dialects: DialectKeeper, devicesSeen: DevicesSeen,
        clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.builder = builder
        self.dialects = dialects
        self.devicesSeen = devicesSeen
        self.clock = clock
    }

    /// A group of releases at an instant, with the other releases of its packages.
    package struct Status: Sendable {
        package let group: ReleaseGroup
        package let releases: ChannelReleases
        package let instant: Timestamp

        package var state: ReleaseState { releases.state(of: group, at: instant) }
    }

    /// The releases that were made.
    package struct Outcome: Sendable {
        package let status: Status
        /// The packages whose patches to the new version could not be signed yet, so that devices get the full archive.
        package let packagesWithoutPatches: Set<PackageID>
    }

    /// Returns a release or a release set; throws `releaseNotFound`.
    package func find(_ id: ReleaseGroup.ID, of app: LiveApp) async throws(PlatformError) -> Status {
        switch id {
        case .release(let number, let package):
            let releases = try await store.releases(of: package, in: app.id)
            guard let release = releases.first(where: { $0.id == number }) else {
                throw PlatformError(
                    .releaseNotFound,
                    "The package '\(package)' has no release \(number). To see the releases:",
                    remedy: .listReleases(of: package, in: app.id))
            }
            return Status(
                group: ReleaseGroup(release), releases: ChannelReleases(releases, on: release.channel),
                instant: app.decisionInstant(clock.now()))
        case .set(let number):
            guard let group = ReleaseGroup(setOf: try await store.releases(ofSet: number, in: app.id)) else {
                throw PlatformError(
                    .releaseNotFound,
                    "The app '\(app.id)' has no release set \(number). To see the release sets:",
                    remedy: .listReleaseSets(of: app.id))
            }
            let releases = try await releases(of: group.packages, on: group.channel, in: app.id)
            return Status(group: group, releases: releases, instant: app.decisionInstant(clock.now()))
        }
    }

    /// Returns a release or a release set for a change by an operator.
    ///
    /// Throws `releaseNotFound`, and `forbidden` unless the operator may release on its channel.
    func find(
        _ id: ReleaseGroup.ID, of app: LiveApp, toChangeBy author: Operator
    ) async throws(PlatformError) -> Status {
        let status = try await find(id, of: app)
        try Self.require(author, on: status.group.channel, of: app.id)
        return status
    }

    /// Throws `forbidden` unless an operator may release on a channel: the one check of grants for single channels, since
    /// a route requires only a grant within the app.
    static func require(_ author: Operator, on channel: ChannelName, of app: AppID) throws(PlatformError) {
        try author.require(.releaser, on: .channel(channel, of: app))
    }

    /// Returns the releases of a package on all channels.
    package func releases(of package: Package) async throws(PlatformError) -> [Release] {
        try await store.releases(of: package.id, in: package.app)
    }

    /// Returns the releases of an app that are neither rolled back nor superseded now.
    package func openReleases(of app: LiveApp) -> OpenReleases {
        app.openReleases(at: app.decisionInstant(clock.now()))
    }

    /// A page of the releases of an app.
    package struct Page: Sendable {
        package let releases: [Release]
        /// The releases that determine the states of those of the page.
        package let open: OpenReleases
        /// The last release that was read, if further ones follow.
        package let end: Release?
    }

    /// Returns a page of the releases of all packages of an app.
    ///
    /// - Parameter states: The states of the releases; `nil` for all.
    package func releases(
        of app: LiveApp, _ query: ReleaseQuery, in states: Set<ReleaseState>? = nil
    ) async throws(PlatformError) -> Page {
        let open = openReleases(of: app)
        var query = query
        let limit = query.limit
        query.limit += 1
        query.state = states.map { open.condition(for: $0) }
        let found = try await store.releases(of: app.id, query)
        let page = found.prefix(limit)
        return Page(
            // A release may have been made after the open ones were read.
            releases: page.filter { release in states.map { $0.contains(open.state(of: release)) } ?? true },
            open: open, end: found.count > limit ? page.last : nil)
    }

    /// Returns every release set of an app, newest first.
    package func sets(of app: LiveApp) async throws(PlatformError) -> [Status] {
        let members = try await store.releases(ofSet: nil, in: app.id)
        var releases: [PackageID: [Release]] = [:]
        for package in Set(members.map(\.package)) {
            releases[package] = try await store.releases(of: package, in: app.id)
        }
        let instant = app.decisionInstant(clock.now())
        // All sets of a channel share one copy of its releases.
        var channels: [ChannelName: ChannelReleases] = [:]
        for channel in Set(members.map(\.channel)) {
            channels[channel] = ChannelReleases(releases.values.lazy.joined(), on: channel)
        }
        return Dictionary(grouping: members) { $0.set?.id ?? .unassigned }.sorted { $0.key > $1.key }
            .compactMap { ReleaseGroup(setOf: $0.value) }.compactMap { group in
                channels[group.channel].map { Status(group: group, releases: $0, instant: instant) }
            }
    }

    /// Returns the release that a draft would give, without its number; changes nothing.
    ///
    /// Throws the errors of making it, except those of lists, dialects, patches and duplicates.
    package func rehearse(_ draft: ReleaseDraft) async throws(PlatformError) -> Release {
        let app = try live.requireApp(draft.app)
        _ = try app.requireView(of: draft.channel)
        return try await preview(ReleaseRequest(draft).allowingDuplicate, of: app).releases[0]
    }
}

extension ReleaseGroup {
    /// Creates the group of the releases that a request makes or takes back.
    init(of request: ReleaseRequest, _ releases: [Release]) {
        self = request.isSet ? ReleaseGroup(setOf: releases) ?? ReleaseGroup(releases[0]) : ReleaseGroup(releases[0])
    }
}

extension PlatformError {
    static func noVersion(_ version: VersionString, of package: PackageID) -> PlatformError {
        PlatformError(
            .versionNotFound,
            "The package '\(package)' has no version \(version). Publish it first, or list the versions.")
    }
}
