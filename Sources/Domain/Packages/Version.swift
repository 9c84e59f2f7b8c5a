/// An immutable version of a package: what was published, once.
package struct Version: Sendable, Equatable {
    package let app: AppID
    package let package: PackageID
    package let version: VersionString
    /// The canonical tree: neither `app.config.json` nor `files.json` at its root.
    package let tree: Tree
    package let treeHash: SHA256Digest
    /// As the package had them when this was published.
    package let entry: TreePath?
    package let urlPrefix: URLPrefix
    package let uploaded: UploadedDescriptors
    package let requirements: VersionRequirements
    /// From its own `larder.json`, in the place of the package's; `nil` where it has none.
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

    /// What the identity of the version is the SHA-256 of: two publishings with the same bytes here are the same
    /// content (semantics.md §1).
    ///
    /// What is absent has no line, so that lines can be added later.
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

/// What an upload's own `app.config.json` and `files.json` add to the ones that Larder writes (semantics.md §1).
package struct UploadedDescriptors: Sendable, Equatable {
    /// Its members but `appId` and `version`, by key.
    package var appConfig: [JSON.Member]
    /// Its keys beyond those that follow from the tree, by key; each target exists.
    package var fileMap: [Mapping]

    package struct Mapping: Sendable, Equatable {
        package var key: String
        /// `/` and the path of a file of the package.
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
