import Artifacts
package import Domain
import Files
import Ground

/// A builder of versions' trees beside the copy that returns only trees with a signed hash.
package struct TreeBuilder {
    let folder: SyncFolder
    let trees: LayoutTree

    /// A complete, verified tree that is not in use: the archive's root, which contains only the package's folder.
    package struct Staged {
        package let package: PackageID
        let root: String

        /// - Parameter root: The folder that corresponds to the archive's root.
        package init(package: PackageID, root: String) {
            self.package = package
            self.root = root
        }

        /// The folder that is to become the copy.
        package var copy: String { "\(root)/\(package)" }
    }

    /// Builds the tree from a full archive (clients.md K15).
    func full(
        zipAt zip: String, offer: ArtifactOffer, of package: PackageID, version: VersionString
    ) throws(PackageFailure) -> Staged {
        let staged = try begin(package)
        try extract(zip, into: staged)
        try verify(staged, tree: offer.tree, version: version)
        return staged
    }

    /// Returns the copy's tree if it is the base of a patch; throws `baseMismatch` otherwise.
    func base(of offer: ArtifactOffer, of package: PackageID) throws(PackageFailure) -> Tree {
        let (base, baseTree): (VersionString, SHA256Digest)
        switch offer.form {
        case .full: preconditionFailure("a full archive has no base")
        case .files(let version, let tree), .delta(let version, let tree): (base, baseTree) = (version, tree)
        }
        let tree = try trees.scan(copy: folder.copy(of: package), of: package)
        guard trees.digest(tree) == baseTree else {
            throw PackageFailure(
                .baseMismatch, "the local copy of \(base) differs from the published version: files were changed.")
        }
        return tree
    }

    /// Builds the tree from an incremental archive and the copy, which stays unchanged (clients.md K16).
    ///
    /// - Parameter base: The copy's tree.
    func incremental(
        zipAt zip: String, over base: Tree, offer: ArtifactOffer, of package: PackageID, version: VersionString
    ) throws(PackageFailure) -> Staged {
        let staged = try begin(package)
        try extract(zip, into: staged)
        try keep(base, from: folder.path, in: staged)
        try verify(staged, tree: offer.tree, version: version)
        return staged
    }

    /// Builds the tree from a delta patch and the copy, which stays unchanged (docs/formats/delta.md).
    ///
    /// - Parameter base: The copy's tree.
    func delta(
        patchAt path: String, over base: Tree, offer: ArtifactOffer, of package: PackageID, version: VersionString
    ) throws(PackageFailure) -> Staged {
        let staged = try begin(package)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Disk.read(path, limit: DeltaLimits.patchBytes) ?? []
        } catch { throw PackageFailure(error) }
        var target = DeltaTarget(root: staged.root, base: folder.path)
        do throws(PlatformError) {
            try DeltaPatch(bytes).apply(
                to: CopiedBase(tree: base, path: folder.path), baseTree: trees.digest(base),
                limit: DeltaLimits.treeBytes, making: &target)
        } catch { throw PackageFailure(error) }
        try verify(staged, tree: offer.tree, version: version)
        return staged
    }

    private func begin(_ package: PackageID) throws(PackageFailure) -> Staged {
        let staged = Staged(package: package, root: "\(folder.staging)/\(package)")
        do throws(SystemError) {
            try Folder.remove(staged.root)
            try Disk.makeFolder(staged.root)
        } catch { throw PackageFailure(error) }
        return staged
    }

    private func extract(_ zip: String, into staged: Staged) throws(PackageFailure) {
        do throws(PlatformError) {
            // The tree is synced once it is complete. If names collide on this disk, its hash differs (`verify`).
            try ZipExtractor.extract(zipAt: zip, into: staged.root, limits: .signedArchive, names: .byBytes)
        } catch { throw PackageFailure(error) }
    }

    /// Links the old files that the new `files.json` lists and the archive lacks; all old files if there is no such
    /// list (clients.md K17).
    private func keep(_ old: Tree, from path: String, in staged: Staged) throws(PackageFailure) {
        let listed = try listedPaths(in: staged)
        do throws(SystemError) {
            for file in old.files {
                guard let (_, inside) = file.path.splitFirst, listed?.contains("/\(inside)") ?? true else { continue }
                let target = "\(staged.root)/\(file.path)"
                guard try Disk.kind(of: target) == nil else { continue }
                try Disk.makeFolder(Disk.parent(of: target))
                try Disk.link("\(path)/\(file.path)", to: target)
            }
        } catch { throw PackageFailure(error) }
    }

    private func listedPaths(in staged: Staged) throws(PackageFailure) -> Set<String>? {
        do throws(SystemError) {
            let bytes = try Disk.read("\(staged.copy)/\(TreePath.fileMap)", limit: Self.maximumFileMap)
            return bytes.flatMap { JSON(parsing: $0)?.members }.map { Set($0.compactMap(\.value.string)) }
        } catch { throw PackageFailure(error) }
    }

    /// The limit on the bytes of `files.json`.
    private static let maximumFileMap = 64 << 20

    private func verify(_ staged: Staged, tree: SHA256Digest, version: VersionString) throws(PackageFailure) {
        let built = trees.digest(try trees.scan(staged.root))
        guard built == tree else {
            throw PackageFailure(.treeMismatch, "the unpacked files are not the signed tree.")
        }
        let config: LocalConfig
        do throws(SystemError) {
            config = LocalConfig(
                try Disk.read("\(staged.copy)/\(TreePath.appConfig)", limit: LocalConfig.maximumSize))
        } catch { throw PackageFailure(error) }
        // Otherwise the next sync would find a version other than the offered one and download it again (clients.md
        // K6).
        guard config.version == version.text else {
            throw PackageFailure(
                .versionMismatch,
                "its app.config.json has the version \(config.version ?? "null"), not \(version).")
        }
    }
}
