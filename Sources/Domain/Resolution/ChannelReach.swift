import Ground

/// The releases of a channel that may reach some device at an instant.
struct ChannelReach {
    let instant: Timestamp
    /// The releases by package and falling rank.
    let packages: [PackageID: [Item]]
    /// The packages of which every device gets a release.
    private let reachingEveryDevice: Set<PackageID>
    /// The releases whose dependencies some device may meet.
    private let possible: Set<Key>
    private let releases: [Key: Release]

    struct Key: Hashable {
        let package: PackageID
        let release: ReleaseID

        init(_ release: Release) { (package, self.release) = (release.package, release.id) }
    }

    struct Item {
        let release: Release
        let share: BasisPoints
        /// Whether the release is only for devices that meet its rules.
        let hasRules: Bool
        /// Whether only devices that have the version may get the release.
        let isOnlyForHolders: Bool

        /// Returns whether the release reaches devices that another state of it does not reach.
        func reachesMore(than other: Item) -> Bool {
            share > other.share || other.hasRules && !hasRules || other.isOnlyForHolders && !isOnlyForHolders
        }
    }

    init(_ releases: [Release], at instant: Timestamp) {
        self.instant = instant
        self.releases = Dictionary(releases.map { (Key($0), $0) }) { first, _ in first }
        var packages: [PackageID: [Item]] = [:]
        var reachingEveryDevice: Set<PackageID> = []
        for (package, own) in Dictionary(grouping: releases, by: \.package) {
            let live = PackageReleases.live(own, at: instant)
            packages[package] = live.compactMap { release in
                guard release.isActive(at: instant), release.keepsDevices else { return nil }
                let share = release.percent(at: instant)
                guard share > .none || release.terms.audience.whitelist != nil else { return nil }
                return Item(
                    release: release, share: share, hasRules: release.appliesRules(at: instant),
                    isOnlyForHolders: release.isHalted)
            }
            // No release below one for everyone is live.
            if let last = live.last, last.isActive(at: instant), last.isForEveryone(at: instant) {
                reachingEveryDevice.insert(package)
            }
        }
        self.packages = packages
        self.reachingEveryDevice = reachingEveryDevice
        possible = Self.possible(among: packages, reachingEveryDevice)
    }

    /// Returns the releases whose dependencies can be met, beginning with those without any; circular ones are omitted.
    private static func possible(
        among packages: [PackageID: [Item]], _ reachingEveryDevice: Set<PackageID>
    ) -> Set<Key> {
        var possible: Set<Key> = []
        var isSettled = false
        while !isSettled {
            isSettled = true
            for item in packages.values.joined() where !possible.contains(Key(item.release)) {
                let isMet = item.release.requirements.dependencies.allSatisfy { dependency in
                    // A device that gets no release of a package uses the version that it has.
                    !reachingEveryDevice.contains(dependency.package)
                        || (packages[dependency.package] ?? []).contains {
                            dependency.admits($0.release.version) && possible.contains(Key($0.release))
                        }
                }
                guard isMet else { continue }
                possible.insert(Key(item.release))
                isSettled = false
            }
        }
        return possible
    }

    /// All releases that may reach a device, by package id and falling rank.
    var all: some Sequence<Item> { packages.keys.sorted().lazy.flatMap { packages[$0] ?? [] } }

    func items(of package: PackageID) -> [Item] { packages[package] ?? [] }

    func item(_ release: Release) -> Item? {
        packages[release.package]?.first { $0.release.id == release.id }
    }

    func isPossible(_ release: Release) -> Bool { possible.contains(Key(release)) }

    /// Returns whether every device gets a release of the package.
    func reachesEveryDevice(_ package: PackageID) -> Bool { reachingEveryDevice.contains(package) }

    /// Returns whether every device meets the dependency.
    func alwaysMeets(_ dependency: VersionRequirements.Dependency) -> Bool {
        reachesEveryDevice(dependency.package)
            && items(of: dependency.package).allSatisfy { dependency.admits($0.release.version) }
    }

    /// Returns whether the release is neither taken back nor halted.
    func isInForce(_ release: Release) -> Bool {
        guard let own = releases[Key(release)] else { return false }
        return !own.hasEnded && !own.isHalted
    }
}

extension VersionRequirements.Dependency {
    /// Returns whether a version of the package meets the dependency.
    package func admits(_ version: VersionString) -> Bool {
        OrderedVersion(version.text).map(range.contains) ?? false
    }
}
