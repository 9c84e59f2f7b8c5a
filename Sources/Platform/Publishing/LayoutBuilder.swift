import Domain

/// Makes the files that a layout adds to a version's tree.
struct LayoutBuilder {
    let workshop: any PackageWorkshop

    /// The layout tree of a version, its two descriptors staged.
    ///
    /// Blocks.
    func tree(of version: Version, staging: any BlobStaging) throws(PlatformError) -> Tree {
        AppFolderLayout.tree(
            of: version,
            appConfig: try workshop.stage(AppFolderLayout.appConfig(of: version), into: staging),
            fileMap: try workshop.stage(AppFolderLayout.fileMap(of: version), into: staging))
    }
}
