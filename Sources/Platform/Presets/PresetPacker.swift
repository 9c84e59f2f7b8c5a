package import Domain
package import Execution
import Ground

/// A packer that builds the zip of a preset; equal presets and keys give equal bytes.
package final class PresetPacker: Sendable {
    let live: LiveApps
    let store: any PackageStore & VersionStore
    private let keys: KeyRing
    private let archives: ArchiveMaker
    let blobs: any BlobStore
    let workshop: any PackageWorkshop
    let work: WorkExecutor
    /// A gate for builds, each of which occupies a thread and the disk.
    let builds = AsyncGate(width: 1)

    package init(
        live: LiveApps, store: any PackageStore & VersionStore, keys: KeyRing, archives: ArchiveMaker,
        blobs: any BlobStore, workshop: any PackageWorkshop, work: WorkExecutor
    ) {
        self.live = live
        self.store = store
        self.keys = keys
        self.archives = archives
        self.blobs = blobs
        self.workshop = workshop
        self.work = work
    }

    /// The content of the zip.
    package enum Content: Sendable, Equatable {
        /// Every package in its folder, plus the index and `keys.json` below ``PresetIndex/folder``.
        case complete
        /// The zip for clients of seed 000: the package `base` in its folder, and further named packages (clients.md
        /// K20).
        case seed(besides: Set<PackageID>)
        /// The zip for clients of seed 004: the resource list of one package on a channel, and its files.
        ///
        /// `nil` selects the only package of the preset that has the dialect.
        case resources(of: PackageID?, on: ChannelName)
    }

    /// Builds the zip and returns it as an open file without a name.
    ///
    /// Throws `versionNotFound`, `invalidRequest` if a package is not in the preset, and `conflict` if its archive was
    /// never offered to devices.
    ///
    /// - Parameter url: Returns the URL of a resource's bytes.
    package func pack(
        _ preset: Preset, _ content: Content, url: @escaping @Sendable (ResourceList.Item) -> String
    ) async throws(PlatformError) -> OpenBlob {
        if case .resources(let package, let channel) = content {
            return try await packResources(preset, package, on: channel, url: url)
        }
        let packages = try Self.packages(of: preset, content)
        let app = try live.requireApp(preset.app)
        return try await builds.pass { () throws(PlatformError) in
            // No key is added or retired between the signatures and the document that names their keys.
            let (entries, document) = try await live.alone(with: app) {
                () throws(PlatformError) -> ([PresetIndex.Entry], SignedKeyDocument) in
                (try await self.entries(of: packages, in: preset), try await keys.document(of: preset.app))
            }
            return try await pack(entries, preset, content, document)
        }
    }

    private func entries(
        of packages: [PackageID], in preset: Preset
    ) async throws(PlatformError) -> [PresetIndex.Entry] {
        var entries: [PresetIndex.Entry] = []
        for package in packages {
            guard let name = preset.versions[package] else { continue }
            let archives = try await archives.archives(of: name, of: package, in: preset.app)
            guard let version = try await store.version(name, of: package, in: preset.app),
                let full = archives.first(where: { $0.artifact.layout == .appFolder })
            else { throw PlatformError.noVersion(name, of: package) }
            entries.append(PresetIndex.Entry(version: version, full: full))
        }
        return entries
    }

    private func pack(
        _ entries: [PresetIndex.Entry], _ preset: Preset, _ content: Content, _ document: SignedKeyDocument
    ) async throws(PlatformError) -> OpenBlob {
        try await blobs.withStaging(on: work) { staging throws(PlatformError) in
            try await work.run { () throws(PlatformError) in
                var files: [TreeFile] = []
                for entry in entries {
                    files += try LayoutBuilder(workshop: workshop).tree(of: entry.version, staging: staging).files
                }
                if content == .complete {
                    let index = PresetIndex(preset: preset, entries: entries).bytes
                    let keys = document.publicJSON.bytes()
                    for (path, bytes) in [(PresetIndex.path, index), (PresetIndex.keysPath, keys)] {
                        files.append(TreeFile(path: path, content: try workshop.stage(bytes, into: staging)))
                    }
                }
                return try zip(files, staging)
            }
        }
    }

    func zip(_ files: [TreeFile], _ staging: any BlobStaging) throws(PlatformError) -> OpenBlob {
        let built = try workshop.buildZip(files, into: staging)
        guard let zip = try staging.open(built.digest) else {
            throw PlatformError(.internalError, "The preset could not be packed.", cause: "no staged zip")
        }
        return zip
    }

    private static func packages(of preset: Preset, _ content: Content) throws(PlatformError) -> [PackageID] {
        switch content {
        case .complete: return preset.versions.keys.sorted()
        case .seed(let others):
            guard let base = PackageID("base") else { return [] }
            let wanted = others.union([base])
            if let missing = wanted.subtracting(preset.versions.keys).min() {
                throw PlatformError(
                    .invalidRequest, "The preset for \(preset.build) does not ship '\(missing)'. Create one that does.")
            }
            return wanted.sorted()
        case .resources: return []
        }
    }
}
