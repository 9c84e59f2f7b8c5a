package import Domain

/// A package as a linter looks at it.
package struct LintSubject: Sendable {
    /// The canonical tree; no deflated streams are needed.
    package var tree: Tree
    /// `nil` for a package without pages.
    package var entry: TreePath?
    package var urlPrefix: URLPrefix
    /// What the uploaded `files.json` maps beside the tree's own files.
    package var fileMap: [UploadedDescriptors.Mapping]
    /// The size of each file of the version before; `nil` where there is none to compare with.
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
