package import Domain
package import Files
import Glibc

/// Puts trees in place so that at any moment there is the old copy or the new one, whole.
package struct Installer {
    let folder: SyncFolder

    package init(folder: SyncFolder) {
        self.folder = folder
    }

    /// Makes a staged tree durable, then exchanges it with the copy in one step, then removes the old one.
    package func install(_ staged: TreeBuilder.Staged) throws(PackageFailure) {
        do throws(SystemError) {
            try Disk.sync(tree: staged.root)
            try swap(staged.copy, staged.package)
            try Folder.remove(staged.root)
        } catch { throw Self.failure(error) }
    }

    /// The moment of the update; durable when it returns.
    package func swap(_ tree: String, _ package: PackageID) throws(SystemError) {
        let copy = folder.copy(of: package)
        if try Disk.kind(of: copy) == nil {
            try Disk.rename(tree, to: copy)
        } else {
            try Disk.exchange(tree, with: copy)
        }
        try Folder.sync(folder.path)
    }

    /// Keeps a staged tree for later.
    package func prepare(_ staged: TreeBuilder.Staged) throws(PackageFailure) {
        let place = preparedRoot(of: staged.package)
        do throws(SystemError) {
            try Disk.sync(tree: staged.root)
            try Folder.remove(place)
            try Disk.rename(staged.root, to: place)
            try Folder.sync(folder.prepared)
        } catch { throw Self.failure(error) }
    }

    /// The tree that was kept for later, still to be verified; `nil` where there is none.
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
