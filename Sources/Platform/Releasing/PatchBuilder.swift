package import Domain
package import Execution

/// A builder of patches between versions: an incremental archive and a delta patch.
package struct PatchBuilder: Sendable {
    private let store: any VersionStore
    private let workshop: any PackageWorkshop
    private let cryptography: any Cryptography
    let work: WorkExecutor

    /// - Parameter work: The threads that build patches; one patch may take ten seconds.
    package init(
        store: any VersionStore, workshop: any PackageWorkshop, cryptography: any Cryptography, work: WorkExecutor
    ) {
        self.store = store
        self.workshop = workshop
        self.cryptography = cryptography
        self.work = work
    }

    /// Builds patches of a package into a staging; ``commit(_:)`` stores their blobs.
    ///
    /// The staging protects the blobs from a sweep for its lifetime. Versions never change, so neither do their
    /// patches.
    ///
    /// - Parameter deltaTime: The time limit of each delta patch, past which there is none; `nil` for no limit.
    func build(
        _ pairs: Set<VersionPair>, of package: PackageID, in app: AppID, deltaTime: Duration? = nil,
        into staging: any BlobStaging
    ) async throws(PlatformError) -> [VersionPair: [Artifact]] {
        var built: [VersionPair: [Artifact]] = [:]
        for pair in pairs.sorted() {
            guard let base = try await store.version(pair.base, of: package, in: app) else {
                // The files of the base were removed, so no patch can start from it.
                built[pair] = []
                continue
            }
            let target = try await version(pair.target, of: package, in: app)
            built[pair] = try await work.run { () throws(PlatformError) in
                try build(from: base, to: target, deltaTime: deltaTime, staging: staging)
            }
        }
        return built
    }

    /// Commits the blobs of all patches that were built into a staging: together, so that a bucket gets several at a
    /// time.
    func commit(_ staging: any BlobStaging) async throws(PlatformError) {
        try await work.run { () throws(PlatformError) in try staging.commit() }
    }

    /// Builds a small delta patch and commits its blob.
    ///
    /// Returns `nil`, and commits nothing, if no delta is possible, it is not smaller than `size` bytes, it exceeds the
    /// time limit, or the files of the base were removed.
    func buildSmall(
        _ pair: VersionPair, lessThan size: Int, timeLimit: Duration? = nil, of package: PackageID, in app: AppID,
        into staging: any BlobStaging
    ) async throws(PlatformError) -> Artifact? {
        guard let base = try await store.version(pair.base, of: package, in: app) else { return nil }
        let target = try await version(pair.target, of: package, in: app)
        return try await work.run { () throws(PlatformError) in
            let trees = try trees(of: base, target, staging: staging)
            let delta = try delta(
                from: base, to: target, trees, effort: .small, timeLimit: timeLimit, staging: staging)
            guard let delta, delta.size < size else { return nil }
            try staging.commit()
            return delta
        }
    }

    private func trees(
        of base: Version, _ target: Version, staging: any BlobStaging
    ) throws(PlatformError) -> (base: Tree, target: Tree) {
        let layouts = LayoutBuilder(workshop: workshop)
        return (try layouts.tree(of: base, staging: staging), try layouts.tree(of: target, staging: staging))
    }

    private func delta(
        from base: Version, to target: Version, _ trees: (base: Tree, target: Tree), effort: DeltaEffort,
        timeLimit: Duration?, staging: any BlobStaging
    ) throws(PlatformError) -> Artifact? {
        try workshop.buildDelta(
            from: trees.base, to: trees.target, effort: effort, timeLimit: timeLimit, into: staging
        ).map { built in
            Artifact(
                of: target, form: .delta(base: base.version, baseTree: cryptography.treeHash(of: trees.base)),
                tree: cryptography.treeHash(of: trees.target), built: built)
        }
    }

    private func version(
        _ version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> Version {
        guard let found = try await store.version(version, of: package, in: app) else {
            throw PlatformError.noVersion(version, of: package)
        }
        return found
    }

    /// Builds an incremental archive with the changed and added files and both descriptors, and a delta patch if
    /// possible.
    ///
    /// Blocks.
    private func build(
        from base: Version, to target: Version, deltaTime: Duration?, staging: any BlobStaging
    ) throws(PlatformError) -> [Artifact] {
        let trees = try trees(of: base, target, staging: staging)
        let always = AppFolderLayout.descriptorPaths(of: target.package)
        let changed = Set(trees.target.changes(since: trees.base).map(\.path)).union(always)
        let built = try workshop.buildZip(trees.target.files.filter { changed.contains($0.path) }, into: staging)
        let files = Artifact(
            of: target, form: .files(base: base.version, baseTree: cryptography.treeHash(of: trees.base)),
            tree: cryptography.treeHash(of: trees.target), built: built)
        let delta = try delta(from: base, to: target, trees, effort: .fast, timeLimit: deltaTime, staging: staging)
        return [files, delta].compactMap { $0 }
    }
}
