import Domain
import Ground
import Store
import Testing
import WorldKit

/// The releases of a ``ReleaseWorld`` in a store, which are made and changed as the use cases do it.
struct StoredWorld {
    let store: SQLStore
    private var published: [PackageID: Set<VersionString>] = [:]

    init(in store: SQLStore) async throws {
        self.store = store
        let start = Fixture.start
        _ = try await store.createApp(.default, keys: Fixture.keys(), audit: Fixture.audit("app.create"))
        for package in ReleaseWorld.packages {
            _ = try await store.putPackage(Fixture.newsPackage(package.text), audit: Fixture.audit("package.put"))
        }
        for (list, devices) in ReleaseWorld.lists {
            _ = try await store.putDeviceList(
                list, devices, of: .default, audit: Fixture.audit("list.put", at: start))
        }
        for (appVersion, apis) in ReleaseWorld.builds {
            let build = try #require(HostBuild(appVersion: appVersion, apis: Array(apis)))
            try await store.putBuild(build, of: .default, audit: Fixture.audit("build.put", at: start))
        }
    }

    // MARK: Changing

    /// Carries out an operation, from what the store has.
    ///
    /// - Parameter world: The world after the operation.
    mutating func carryOut(_ operation: WorldOperation, in world: ReleaseWorld) async throws {
        switch operation {
        case .make(let request, let ids):
            for id in ids { try await publishVersion(of: try #require(world.find(id)).release) }
            try await make(request, at: world.now)
        case .change(let name, let action):
            let (group, releases) = try await find(name)
            try await change(releases.changing(group, by: action, at: world.now), by: action, at: world.now)
        case .takeBack(let name, let versions, let isMandatory):
            let (group, releases) = try await find(name)
            switch try releases.takingBack(group, to: versions, isMandatory: isMandatory, at: world.now) {
            case .cancellation(let ended):
                try #require(versions.isEmpty)
                try await change(ended, by: .rollBack, at: world.now)
            case .replacement(let request): try await make(request, at: world.now)
            }
        }
    }

    private func make(_ request: ReleaseRequest, at instant: Timestamp) async throws {
        _ = try await store.makeReleases(
            request, patches: [], blobs: [], audit: Fixture.audit("release.make", at: instant))
    }

    private func change(_ group: ReleaseGroup, by action: ReleaseAction, at instant: Timestamp) async throws {
        try await store.changeReleases(
            group.members, audit: Fixture.audit("release.\(action.kind.rawValue)", at: instant))
    }

    private func find(_ name: ReleaseGroup.ID) async throws -> (ReleaseGroup, ChannelReleases) {
        let group: ReleaseGroup
        switch name {
        case .release(let id, let package):
            let found = try await store.releases(of: package, in: .default).first { $0.id == id }
            group = ReleaseGroup(try #require(found))
        case .set(let id):
            group = try #require(ReleaseGroup(setOf: try await store.releases(ofSet: id, in: .default)))
        }
        var releases: [Release] = []
        for package in group.packages { releases += try await store.releases(of: package, in: .default) }
        return (group, ChannelReleases(releases, on: group.channel))
    }

    /// Publishes the version of a release with its requirements, unless it is there.
    private mutating func publishVersion(of release: Release) async throws {
        guard published[release.package, default: []].insert(release.version).inserted else { return }
        let seed = published.values.map(\.count).reduce(0, +)
        var publishing = try Fixture.publishing(release.version.text, of: release.package.text, seed: seed)
        let version = publishing.version
        publishing.version = Version(
            app: version.app, package: version.package, version: version.version, tree: version.tree,
            treeHash: version.treeHash, entry: version.entry, urlPrefix: version.urlPrefix, uploaded: version.uploaded,
            requirements: release.requirements, createdAt: version.createdAt)
        try await store.publish(publishing)
    }

    // MARK: Loading

    /// The releases, lists and host builds that a server loads after a change.
    struct Loaded {
        /// The releases by id.
        let releases: [Release]
        let snapshot: ReleaseSnapshot
    }

    /// Loads the releases as they are at an instant.
    func load(at instant: Timestamp) async throws -> Loaded {
        try await load(try await store.state(of: .default, at: instant), at: instant)
    }

    /// Loads the releases as they were at an instant.
    func load(asOf instant: Timestamp) async throws -> Loaded {
        try await load(try await store.state(of: .default, asOf: instant), at: instant)
    }

    private func load(_ state: AppState, at instant: Timestamp) async throws -> Loaded {
        var lists: [DeviceListName: DeviceSet] = [:]
        for list in state.deviceLists { lists[list.name] = try await store.devices(on: list.name, of: .default) }
        let packages = state.releases.mapValues { own in
            PackageReleases(own, at: instant) { Candidate($0, lists: lists) }
        }
        return Loaded(
            releases: state.releases.values.joined().sorted { $0.id < $1.id },
            snapshot: ReleaseSnapshot(packages: packages, builds: state.builds))
    }
}
