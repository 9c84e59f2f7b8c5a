/// The layout `app-folder`, for clients of seed 000: everything under `<appId>/`, with the two files they read.
package enum AppFolderLayout {
    /// `app.config.json`: the uploaded members, then `appId` and `version` (clients.md K5, K6).
    package static func appConfig(of version: Version) -> [UInt8] {
        let own: [JSON.Member] = [
            .init("appId", .string(version.package.text)), .init("version", .string(version.version.text)),
        ]
        return JSON.object(own + version.uploaded.appConfig.filter { !reserved.contains($0.key) }).bytes()
    }

    /// `files.json`: online path → file, for every file of the layout tree, the two descriptors included
    /// (clients.md K16, K18); the prefix itself leads to the entry.
    package static func fileMap(of version: Version) -> [UInt8] {
        var map = generatedMap(of: version)
        for mapping in version.uploaded.fileMap where map[mapping.key] == nil {
            map[mapping.key] = mapping.target
        }
        let sorted = map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return JSON.object(sorted.map { JSON.Member($0.key, .string($0.value)) }).bytes()
    }

    /// The keys that follow from the tree, the prefix and the entry alone.
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

    /// The layout tree, what a full archive unpacks to (semantics.md §1): the version's files where they are placed, and
    /// the two descriptors.
    package static func adding(
        appConfig: FileContent, fileMap: FileContent, to placed: Tree, of package: PackageID
    ) -> Tree {
        let own = [TreeFile(path: .appConfig, content: appConfig), TreeFile(path: .fileMap, content: fileMap)]
        return Tree(
            placed.files + own.map { TreeFile(path: $0.path.under(package.text), content: $0.content) })
    }

    /// The two files that every incremental archive holds as well (clients.md, layout table).
    package static func descriptorPaths(of package: PackageID) -> Set<TreePath> {
        [TreePath.appConfig.under(package.text), TreePath.fileMap.under(package.text)]
    }

    private static let reserved: Set<String> = ["appId", "version"]
}
