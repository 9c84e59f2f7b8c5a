package import Domain
package import Execution
import Ground

/// A maker of full archives in further layouts, on request.
package final class ArchiveMaker: Sendable {
    private let live: LiveApps
    private let store: any VersionStore & ArtifactStore
    private let keys: KeyRing
    private let blobs: any BlobStore
    private let workshop: any PackageWorkshop
    private let cryptography: any Cryptography
    private let work: WorkExecutor
    private let clock: any WallClock
    /// A gate for builds, each of which occupies a thread and the disk.
    private let builds = AsyncGate(width: 2)

    package init(
        live: LiveApps, store: any VersionStore & ArtifactStore, keys: KeyRing, blobs: any BlobStore,
        workshop: any PackageWorkshop, cryptography: any Cryptography, work: WorkExecutor, clock: any WallClock
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.blobs = blobs
        self.workshop = workshop
        self.cryptography = cryptography
        self.work = work
        self.clock = clock
    }

    /// Returns the archive of a version in a layout, and whether this call made it.
    ///
    /// The archive reuses the streams that were deflated at publishing; its bytes are reproducible. Throws
    /// `versionNotFound`, and `conflict` if the version cannot have this layout.
    package func archive(
        of name: VersionString, of package: Package, in layout: Layout, by author: Operator
    ) async throws(PlatformError) -> (archive: SignedArtifact, isNew: Bool) {
        guard let version = try await store.version(name, of: package.id, in: package.app) else {
            throw PlatformError.noVersion(name, of: package.id)
        }
        let app = try live.requireApp(package.app)
        if let known = try await made(of: version, in: layout) {
            if !author.isRehearsing { try await live.noteNamed([known], of: app) }
            return (known, false)
        }
        return try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            let artifact = try await builds.pass { () throws(PlatformError) in
                try await work.run { () throws(PlatformError) in
                    try layout.requireDistinctNames(of: version.tree)
                    let artifact = try LayoutBuilder(workshop: workshop).archive(
                        of: version, in: layout, by: cryptography, staging: staging)
                    if !author.isRehearsing { try staging.commit() }
                    return artifact
                }
            }
            let audit = author.audit(
                .makeArchive, "\(package.id)@\(name)", in: package.app, at: clock.now(),
                [.init("layout", .string(layout.rawValue))],
                change: .created([.init("layout", .string(layout.rawValue))]))
            let signed = try await live.alone(with: app) { () throws(PlatformError) in
                let signed = try await keys.sign(artifact)
                try await store.addArchive(signed, blobs: staging.records, audit: audit)
                return signed
            }
            guard !author.isRehearsing else { return (signed, true) }
            // A concurrent call may have made it.
            guard let made = try await made(of: version, in: layout) else {
                throw PlatformError(.internalError, "The archive was not kept.", cause: "no artifact after addArchive")
            }
            return (made, true)
        }
    }

    private func made(of version: Version, in layout: Layout) async throws(PlatformError) -> SignedArtifact? {
        try await archives(of: version.version, of: version.package, in: version.app)
            .first { $0.artifact.layout == layout }
    }

    /// Returns the archives of a published version, or throws `versionNotFound`.
    package func requireArchives(
        of version: VersionString, of package: Package
    ) async throws(PlatformError) -> [SignedArtifact] {
        let publication = try await store.publication(of: version, of: package.id, in: package.app)
        guard publication?.version == version else { throw PlatformError.versionNotFound(version, of: package.id) }
        return try await archives(of: version, of: package.id, in: package.app)
    }

    /// Returns the archives of a version, with the signatures by signing keys in use and by the oldest legacy key.
    package func archives(
        of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [SignedArtifact] {
        let inUse = try await keys.keysInUse(of: app)
        let legacy = inUse.legacy.first?.id
        let trusted = Set(inUse.filter { $0.purpose != .legacy || $0.id == legacy }.map(\.id))
        return try await store.archives(of: version, of: package, in: app).map { archive in
            SignedArtifact(
                artifact: archive.artifact, signatures: archive.signatures.filter { trusted.contains($0.keyID) })
        }
    }

    /// Returns the patches from one version to another.
    package func patches(
        from base: VersionString, to target: VersionString, of package: Package
    ) async throws(PlatformError) -> [Artifact] {
        try await store.patches(to: [target], of: package.id, in: package.app).filter { $0.base == base }
    }
}
