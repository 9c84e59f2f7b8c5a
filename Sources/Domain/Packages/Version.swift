package import Ground

/// An immutable, published version of a package.
package struct Version: Sendable, Equatable {
    package let app: AppID
    package let package: PackageID
    package let version: VersionString
    /// The canonical tree, without `app.config.json` and `files.json` at its root.
    package let tree: Tree
    package let treeHash: SHA256Digest
    /// The package's entry and prefix at the time of publishing.
    package let entry: TreePath?
    package let urlPrefix: URLPrefix
    package let uploaded: UploadedDescriptors
    package let requirements: VersionRequirements
    /// The resource settings from its own `larder.json`, which override the package's; `nil` if it has none.
    package let resources: ResourceSettings?
    package let createdAt: Timestamp

    package init(
        app: AppID, package: PackageID, version: VersionString, tree: Tree, treeHash: SHA256Digest, entry: TreePath?,
        urlPrefix: URLPrefix, uploaded: UploadedDescriptors, requirements: VersionRequirements = .none,
        resources: ResourceSettings? = nil, createdAt: Timestamp
    ) {
        self.app = app
        self.package = package
        self.version = version
        self.tree = tree
        self.treeHash = treeHash
        self.entry = entry
        self.urlPrefix = urlPrefix
        self.uploaded = uploaded
        self.requirements = requirements
        self.resources = resources
        self.createdAt = createdAt
    }

    /// The bytes whose SHA-256 is the version's identity; equal bytes mean equal content (semantics.md §1).
    ///
    /// An absent property has no line, so that lines can be added later.
    package var identityBytes: [UInt8] {
        var lines = ["larder-version-1", "tree \(treeHash.hex)", "url-prefix \(urlPrefix)"]
        if let entry { lines.append("entry \(entry)") }
        if !uploaded.appConfig.isEmpty { lines.append("app-config \(JSON.object(uploaded.appConfig).text)") }
        if !uploaded.fileMap.isEmpty {
            let pairs = uploaded.fileMap.map { JSON.Member($0.key, .string($0.target)) }
            lines.append("file-map \(JSON.object(pairs).text)")
        }
        lines += requirements.identityLines
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
}

/// The members of an upload's `app.config.json` and `files.json` that the generated ones include (semantics.md §1).
package struct UploadedDescriptors: Sendable, Equatable {
    /// The members except `appId` and `version`, by key.
    package var appConfig: [JSON.Member]
    /// The mappings besides those that follow from the tree, by key; each target exists.
    package var fileMap: [Mapping]

    package struct Mapping: Sendable, Equatable {
        package var key: String
        /// The path of a file of the package, with a leading `/`.
        package var target: String

        package init(key: String, target: String) {
            self.key = key
            self.target = target
        }
    }

    package init(appConfig: [JSON.Member] = [], fileMap: [Mapping] = []) {
        self.appConfig = appConfig
        self.fileMap = fileMap
    }
}
