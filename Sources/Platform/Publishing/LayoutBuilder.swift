import Domain

/// A builder of versions' layout trees, including the files that a layout adds.
struct LayoutBuilder {
    let workshop: any PackageWorkshop

    /// Builds and stages the full archive of a version.
    ///
    /// Blocks. Throws `conflict` if the version cannot have this layout.
    func archive(
        of version: Version, in layout: Layout = .appFolder, by cryptography: any Cryptography,
        staging: any BlobStaging
    ) throws(PlatformError) -> Artifact {
        let tree = try tree(of: version, in: layout, staging: staging)
        let built = try workshop.buildZip(tree.files, into: staging)
        return Artifact(of: version, form: .full, layout: layout, tree: cryptography.treeHash(of: tree), built: built)
    }

    /// Returns the layout tree of a version; stages the files that the layout adds.
    ///
    /// Blocks. Throws `conflict` if the version cannot have this layout.
    func tree(
        of version: Version, in layout: Layout = .appFolder, staging: any BlobStaging
    ) throws(PlatformError) -> Tree {
        let placed = try layout.placed(version.tree, of: version.package)
        guard layout == .appFolder else { return placed }
        let appConfig = try workshop.stage(AppFolderLayout.appConfig(of: version), into: staging)
        let fileMap = try workshop.stage(AppFolderLayout.fileMap(of: version), into: staging)
        return AppFolderLayout.adding(appConfig: appConfig, fileMap: fileMap, to: placed, of: version.package)
    }
}
