package import Domain
package import Execution
import Ground
import Synchronization

/// The source of the offers for seed 004's clients, which numbers their resources before any response names them.
package final class ResourceShelf: Sendable {
    /// The number of cached versions that clients have; one with thousands of files takes a megabyte or two.
    static let rememberedBases = 32

    private struct BaseKey: Hashable {
        let app: AppID
        let package: PackageID
        let version: VersionString
        let settings: ResourceSettings
    }

    let store: any ResourceStore & VersionStore & ReleaseStore
    private let work: WorkExecutor
    private struct PackageKey: Hashable {
        let app: AppID
        let package: PackageID
    }

    private let offersMade = Atomic<UInt64>(0)
    /// The histories of the packages with the dialect, loaded when a list is first made.
    private let histories = Mutex<[PackageKey: ListHistory]>([:])
    private let bases = Mutex(Generations<BaseKey, ResourceSource>(capacity: rememberedBases))

    /// - Parameter work: The pool that matches files with rules: thousands of files and hundreds of rules take a while.
    package init(store: any ResourceStore & VersionStore & ReleaseStore, work: WorkExecutor) {
        self.store = store
        self.work = work
    }

    /// Returns the offer of each package of a channel.
    ///
    /// New numbers are durable on return. Unchanged offers are reused.
    func offers(
        in view: ChannelView, of state: AppState, before: ResourceOffers
    ) async throws(PlatformError) -> ResourceOffers {
        var offers: [PackageID: ResourceOffer] = [:]
        for entry in view.entries where entry.package.dialects.contains(.resourcesJSON) {
            let releases = (state.releases[entry.package.id] ?? []).filter { $0.channel == view.channel }
            offers[entry.package.id] = try await offer(
                entry, in: view, releases: releases, before: before.byPackage[entry.package.id])
        }
        let packages = state.packages.filter { $0.dialects.contains(.resourcesJSON) }.map(\.id)
        return ResourceOffers(packages: packages, byPackage: offers)
    }

    private func offer(
        _ entry: ChannelView.Entry, in view: ChannelView, releases: [Release], before: ResourceOffer?
    ) async throws(PlatformError) -> ResourceOffer {
        let parts = [entry.current, entry.next].compactMap { $0 }
        let basis = ResourceOffer.Basis(
            package: entry.package, sequence: try await store.latestEvent(of: entry.package.id, in: view.app),
            isCurrent: entry.current != nil,
            parts: parts.map {
                .init(release: $0.release, mandatoryAfter: $0.decision.mandatoryAfter, bases: $0.downloads.plannedBases)
            }, released: entry.released)
        if let before, before.basis == basis { return before }
        let number = offersMade.add(1, ordering: .relaxed).newValue

        var sources: [ResourceSource] = []
        for part in parts {
            switch try await source(
                of: part.downloads.version.version, of: entry.package, reusing: before?.sources ?? [])
            {
            case .success(let source): sources.append(source)
            case .failure(let refusal):
                return ResourceOffer(number: number, basis: basis, sources: [], list: .failure(refusal), ranks: [:])
            }
        }
        let list = try await list(of: basis, sources, in: view)
        let ranks = releases.filter { $0.rank <= parts[0].release.rank }.map { ($0.version, $0.rank) }
        return ResourceOffer(
            number: number, basis: basis, sources: sources, list: .success(list),
            ranks: Dictionary(ranks, uniquingKeysWith: max))
    }

    /// Numbers the resources of all parts and merges them into one list.
    private func list(
        of basis: ResourceOffer.Basis, _ sources: [ResourceSource], in view: ChannelView
    ) async throws(PlatformError) -> ResourceList {
        let digests = sources.map(\.digests)
        // A scheduled first release is listed as if it were current.
        let (current, coming) = basis.isCurrent ? (digests[0], digests.dropFirst().first) : ([:], digests[0])
        let package = basis.package.id
        let history = try await history(of: package, in: view.app)
        let listed = ListedVersions(
            current: sources[0].version, coming: sources.dropFirst().first?.version,
            naming: NamingMark(of: sources.map(\.settings)))
        let entry = ListHistory.Entry(channel: view.channel, sequence: basis.sequence, versions: listed)
        let isNew = history.isNew(listed, on: view.channel)
        let numbers = try await store.numberResources(
            current: current, coming: coming ?? [:], recording: isNew ? entry : nil, of: package, on: view.channel,
            in: view.app)
        if isNew { histories.withLock { $0[PackageKey(app: view.app, package: package)]?.record(entry) } }
        let parts = sources.enumerated().map { index, source in
            ResourceList.Part(
                resources: source.resources,
                numbers: basis.isCurrent && index == 0 ? numbers.current : numbers.coming,
                activeTime: basis.parts[index].release.activeTime)
        }
        return ResourceList(
            version: ResourceConfigVersion(sequence: basis.sequence, version: sources[0].version),
            isCached: basis.package.isUsedOffline, updateMode: basis.parts[0].release.terms.updateMode,
            current: parts[0],
            coming: parts.dropFirst().first)
    }

    /// Returns the history of a package's lists; reads it from the store once.
    func history(of package: PackageID, in app: AppID) async throws(PlatformError) -> ListHistory {
        let key = PackageKey(app: app, package: package)
        if let history = histories.withLock({ $0[key] }) { return history }
        let history = try await store.listHistory(of: package, in: app)
        return histories.withLock { histories in
            // Another call may have recorded a list meanwhile.
            if let newer = histories[key] { return newer }
            histories[key] = history
            return history
        }
    }

    /// Reads the known histories of an app again, to which another node may have added lists.
    func reloadHistories(of app: AppID) async throws(PlatformError) {
        for key in histories.withLock({ $0.keys.filter { $0.app == app } }) {
            let history = try await store.listHistory(of: key.package, in: app)
            histories.withLock { $0[key] = history }
        }
    }

    /// Returns the pairs of current and next version that a client's list may have named, on any channel.
    ///
    /// Empty if no channel's history has the list, or if a channel may have sent it before its history begins.
    package func versions(of list: ResourceConfigVersion, for offer: ResourceOffer) -> Set<ListedVersions> {
        // A sequence in the future stems from before a backup was restored.
        guard list.sequence <= offer.basis.sequence else { return [] }
        let key = PackageKey(app: offer.basis.package.app, package: offer.basis.package.id)
        return histories.withLock { $0[key]?.versions(of: list) } ?? []
    }

    /// Returns the contents from which a client may get patches; empty if its files are not known for certain.
    ///
    /// - Parameter lists: The versions that its list named; see ``versions(of:for:)``.
    package func patchable(
        _ lists: Set<ListedVersions>, for offer: ResourceOffer
    ) async throws(PlatformError) -> [ResourceID: SHA256Digest] {
        var patchable: [ResourceID: SHA256Digest]?
        for list in lists {
            var sources: [ResourceSource] = []
            for version in [list.current, list.coming].compactMap({ $0 }) {
                let source = try await source(of: version, of: offer.basis.package, reusing: offer.sources)
                guard case .success(let source) = source else { return [:] }
                sources.append(source)
            }
            guard list.naming == NamingMark(of: sources.map(\.settings)) else { return [:] }
            let contents = ListedVersions.patchable(
                current: sources[0].digests, coming: sources.dropFirst().first?.digests ?? [:])
            patchable = patchable.map { $0.filter { contents[$0.key] == $0.value } } ?? contents
        }
        return patchable ?? [:]
    }

    /// Returns a version's resources, or the reason why they cannot be listed.
    func source(
        of name: VersionString, of package: Package, reusing known: [ResourceSource]
    ) async throws(PlatformError) -> Result<ResourceSource, ResourceRefusal> {
        if let source = known.first(where: { $0.version == name && $0.packageSettings == package.resources }) {
            return .success(source)
        }
        let key = BaseKey(app: package.app, package: package.id, version: name, settings: package.resources)
        if let source = bases.withLock({ $0.find(key) }) { return .success(source) }
        guard let version = try await store.version(name, of: package.id, in: package.app) else {
            return .failure(ResourceRefusal(message: "The files of \(name) of '\(package.id)' were removed."))
        }
        do throws(VersionResources.Fault) {
            let source = try await work.run { () throws(VersionResources.Fault) in
                try ResourceSource(version, of: package)
            }
            bases.withLock { $0.keep(source, under: key) }
            return .success(source)
        } catch {
            return .failure(ResourceRefusal(message: "\(name) of '\(package.id)': \(error.message)"))
        }
    }
}

extension Dialect {
    /// The dialect of seed 004's clients: `resources.json`, a list of single files with text patches.
    package static let resourcesJSON = Dialect(rawValue: "resources-json")
}

extension ResourceSource {
    init(_ version: Version, of package: Package) throws(VersionResources.Fault) {
        let settings = version.resources ?? package.resources
        self.init(
            version: version.version, packageSettings: package.resources, settings: settings,
            resources: try VersionResources(
                of: version.tree, entry: version.entry, urlPrefix: version.urlPrefix, settings: settings
            ).resources)
    }
}
