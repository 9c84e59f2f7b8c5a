package import Domain
package import Files
import Glibc

/// An installer that replaces copies atomically, so that a complete copy exists at any moment.
package struct Installer {
    let folder: SyncFolder

    package init(folder: SyncFolder) {
        self.folder = folder
    }

    /// Syncs a staged tree, exchanges it with the copy atomically, then removes the old copy.
    package func install(_ staged: TreeBuilder.Staged) throws(PackageFailure) {
        do throws(SystemError) {
            try Disk.sync(tree: staged.root)
            try swap(staged.copy, staged.package)
            try Folder.remove(staged.root)
        } catch { throw Self.failure(error) }
    }

    /// Exchanges a tree with the copy; the change is durable when this returns.
    package func swap(_ tree: String, _ package: PackageID) throws(SystemError) {
        let copy = folder.copy(of: package)
        if try Disk.kind(of: copy) == nil {
            try Disk.rename(tree, to: copy)
        } else {
            try Disk.exchange(tree, with: copy)
        }
        try Folder.sync(folder.path)
    }

    /// Stores a staged tree for a scheduled version.
    package func prepare(_ staged: TreeBuilder.Staged) throws(PackageFailure) {
        let target = preparedRoot(of: staged.package)
        do throws(SystemError) {
            try Disk.sync(tree: staged.root)
            try Folder.remove(target)
            try Disk.rename(staged.root, to: target)
            try Folder.sync(folder.prepared)
        } catch { throw Self.failure(error) }
    }

    /// Returns the stored tree of a scheduled version, unverified; `nil` if there is none.
    func prepared(_ package: PackageID) -> TreeBuilder.Staged? {
        let staged = TreeBuilder.Staged(package: package, root: preparedRoot(of: package))
        guard case .folder? = try? Disk.kind(of: staged.copy) else { return nil }
        return staged
    }

    func discardPrepared(_ package: PackageID) throws(PackageFailure) {
        do throws(SystemError) { try Folder.remove(preparedRoot(of: package)) } catch { throw PackageFailure(error) }
    }

    private func preparedRoot(of package: PackageID) -> String { "\(folder.prepared)/\(package)" }

    private static func failure(_ error: SystemError) -> PackageFailure {
        guard error.number == EINVAL || error.number == ENOSYS else { return PackageFailure(error) }
        return PackageFailure(
            .storageFailed,
            "\(error): this file system cannot exchange two folders in one step. Use a folder on ext4, XFS, Btrfs or "
                + "tmpfs.")
    }
}
