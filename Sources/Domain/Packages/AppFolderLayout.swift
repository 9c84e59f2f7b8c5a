import Ground

/// The layout `app-folder` for clients of seed 000: everything under `<appId>/`, with the two descriptors they read.
package enum AppFolderLayout {
    /// Returns `app.config.json`: `appId` and `version`, then the uploaded members (clients.md K5, K6).
    package static func appConfig(of version: Version) -> [UInt8] {
        let own: [JSON.Member] = [
            .init("appId", .string(version.package.text)), .init("version", .string(version.version.text)),
        ]
        return JSON.object(own + version.uploaded.appConfig.filter { !reserved.contains($0.key) }).bytes()
    }

    /// Returns `files.json`, a map from online paths to files for every file of the layout tree and both descriptors
    /// (clients.md K16, K18).
    ///
    /// The prefix itself maps to the entry.
    package static func fileMap(of version: Version) -> [UInt8] {
        var map = generatedMap(of: version)
        for mapping in version.uploaded.fileMap where map[mapping.key] == nil {
            map[mapping.key] = mapping.target
        }
        let sorted = map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return JSON.object(sorted.map { JSON.Member($0.key, .string($0.value)) }).bytes()
    }

    /// Returns the mappings that follow from the tree, the prefix and the entry.
    package static func generatedMap(of version: Version) -> [String: String] {
        generatedMap(paths: version.tree.files.map(\.path), entry: version.entry, urlPrefix: version.urlPrefix)
    }

    package static func generatedMap(paths: [TreePath], entry: TreePath?, urlPrefix: URLPrefix) -> [String: String] {
        var map: [String: String] = [:]
        for path in paths + [.appConfig, .fileMap] {
            map["\(urlPrefix)\(path)"] = "/\(path)"
        }
        if let entry {
            map[urlPrefix.text] = "/\(entry)"
            map[String(urlPrefix.text.dropLast())] = "/\(entry)"
        }
        return map
    }

    /// Returns the layout tree of a full archive: the placed files and the two descriptors (semantics.md §1).
    package static func adding(
        appConfig: FileContent, fileMap: FileContent, to placed: Tree, of package: PackageID
    ) -> Tree {
        let own = [TreeFile(path: .appConfig, content: appConfig), TreeFile(path: .fileMap, content: fileMap)]
        return Tree(
            placed.files + own.map { TreeFile(path: $0.path.under(package.text), content: $0.content) })
    }

    /// Returns the paths of the two descriptors, which every incremental archive contains (clients.md, layout table).
    package static func descriptorPaths(of package: PackageID) -> Set<TreePath> {
        [TreePath.appConfig.under(package.text), TreePath.fileMap.under(package.text)]
    }

    private static let reserved: Set<String> = ["appId", "version"]
}
