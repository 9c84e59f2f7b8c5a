package import Domain

/// The input of the linter: a package's files and settings.
package struct LintSubject: Sendable {
    /// The canonical tree; deflated streams are not used.
    package var tree: Tree
    /// The entry page; `nil` for a package without pages.
    package var entry: TreePath?
    package var urlPrefix: URLPrefix
    /// The mappings of the uploaded `files.json` besides the tree's own files.
    package var fileMap: [UploadedDescriptors.Mapping]
    /// The size of each file of the previous version; `nil` if there is none to compare with.
    package var before: [TreePath: Int]?

    package init(
        tree: Tree, entry: TreePath?, urlPrefix: URLPrefix, fileMap: [UploadedDescriptors.Mapping] = [],
        before: [TreePath: Int]? = nil
    ) {
        self.tree = tree
        self.entry = entry
        self.urlPrefix = urlPrefix
        self.fileMap = fileMap
        self.before = before
    }
}
