import Ground

/// The arrangement of an uploaded zip's files: the canonical tree and the uploaded descriptors (semantics.md §1).
package struct UploadArrangement: Sendable, Equatable {
    package let tree: Tree
    /// The uploaded `app.config.json` and `files.json`, unparsed; they are not part of the tree.
    package let appConfig: FileContent?
    package let fileMap: FileContent?

    /// The rule for removing a single top folder.
    package enum Unwrapping: Sendable, Equatable {
        /// Removes the folder if the entry is in it and not at the root.
        case automatic
        case always
        case never
    }

    /// Removes the top folder by the rule, and the descriptors at the root.
    ///
    /// Throws `badPackage` if no file is left, the entry is missing, or a file would collide with a descriptor.
    package init(_ uploaded: Tree, entry: TreePath?, unwrapping: Unwrapping) throws(PlatformError) {
        let whole = try Self.unwrap(uploaded, entry: entry, unwrapping: unwrapping)
        appConfig = whole[.appConfig]?.content
        fileMap = whole[.fileMap]?.content
        tree = Tree(whole.files.filter { $0.path != .appConfig && $0.path != .fileMap })
        guard !tree.files.isEmpty else {
            throw PlatformError(
                .badPackage, "The zip contains no file to publish. Zip the built pages and upload again.",
                reason: "empty")
        }
        if let entry, tree[entry] == nil {
            throw PlatformError(
                .badPackage,
                "The package's entry page '\(entry)' is not in the zip. Zip the folder that contains it, or change the "
                    + "package's 'entry' (null for a package without an entry page).",
                entry: entry.text, reason: "entry-missing")
        }
        try Self.refuseMeetingDescriptors(tree)
        try Self.refuseWhatNoArchiveHolds(tree)
    }

    /// Rejects paths that are too long or too deep below the package's folder in an archive.
    private static func refuseWhatNoArchiveHolds(_ tree: Tree) throws(PlatformError) {
        func refuse(_ fault: TreePath.Fault, _ message: String, _ isAtFault: (TreePath) -> Bool) throws(PlatformError) {
            guard let file = tree.files.first(where: { isAtFault($0.path) }) else { return }
            throw PlatformError(.badPackage, message, entry: file.path.text, reason: fault.rawValue)
        }
        try refuse(.tooLong, "The path is too long for an archive. Shorten it.") {
            $0.text.utf8.count > TreePath.maximumLength - 65
        }
        try refuse(.tooDeep, "The path has too many folders for an archive. Use fewer.") {
            $0.parts.count > TreePath.maximumDepth - 1
        }
    }

    private static func unwrap(
        _ tree: Tree, entry: TreePath?, unwrapping: Unwrapping
    ) throws(PlatformError) -> Tree {
        guard unwrapping != .never, let top = tree.files.first?.path.splitFirst?.folder else { return tree }
        var inside: [TreeFile] = []
        for file in tree.files {
            guard let (folder, rest) = file.path.splitFirst, folder.utf8.elementsEqual(top.utf8) else { return tree }
            inside.append(TreeFile(path: rest, content: file.content))
        }
        let unwrapped = Tree(inside)
        if unwrapping == .automatic {
            guard let entry, unwrapped[entry] != nil, tree[entry] == nil else { return tree }
        }
        try refuseFaults(unwrapped)
        return unwrapped
    }

    /// Rejects paths that are invalid without the top folder, such as `C:/x`.
    private static func refuseFaults(_ tree: Tree) throws(PlatformError) {
        for file in tree.files {
            do throws(TreePath.Fault) { _ = try TreePath(file.path.text) } catch {
                throw PlatformError(
                    .badPackage, "The path is not valid without the top folder of the zip. Rename the file.",
                    entry: file.path.text, reason: error.rawValue)
            }
        }
    }

    /// Rejects files, such as `Files.json`, that collide with a generated descriptor on a case-insensitive device.
    private static func refuseMeetingDescriptors(_ tree: Tree) throws(PlatformError) {
        let nothing = FileContent(digest: .zero, size: 0, crc32: 0, deflated: nil)
        let own = [TreePath.appConfig, .fileMap].map { TreeFile(path: $0, content: nothing) }
        guard let (first, second) = Tree(tree.files + own).collision() else { return }
        throw PlatformError(
            .badPackage,
            "“\(first)” and “\(second)” collide on devices that ignore case; Larder generates app.config.json and "
                + "files.json. Rename the file.",
            entry: [first, second].first { $0 != .appConfig && $0 != .fileMap }?.text, reason: "path-collision")
    }
}

extension UploadArrangement {
    /// Parses the uploaded descriptors; throws `badPackage` for invalid ones, and the errors of `read`.
    ///
    /// - Parameter read: Returns all bytes of a file within the limit, and throws for a larger file.
    package func descriptors(
        entry: TreePath?, urlPrefix: URLPrefix, read: (FileContent, Int) throws(PlatformError) -> [UInt8]
    ) throws(PlatformError) -> UploadedDescriptors {
        func bytes(_ content: FileContent?) throws(PlatformError) -> [UInt8]? {
            guard let content else { return nil }
            return try read(content, UploadedDescriptors.maximumBytes)
        }
        return try UploadedDescriptors(
            appConfig: try bytes(appConfig), fileMap: try bytes(fileMap), tree: tree, entry: entry, urlPrefix: urlPrefix
        )
    }
}

extension UploadedDescriptors {
    /// The limit on the bytes of an uploaded descriptor.
    package static let maximumBytes = 4 << 20

    /// Parses the uploaded descriptors; `nil` stands for one that was not uploaded.
    ///
    /// Throws `badPackage` for a descriptor that is not a JSON object, or that maps to a file outside the package.
    package init(
        appConfig: [UInt8]?, fileMap: [UInt8]?, tree: Tree, entry: TreePath?, urlPrefix: URLPrefix
    ) throws(PlatformError) {
        self.init()
        if let appConfig {
            self.appConfig = try Self.object(appConfig, .appConfig).filter { !["appId", "version"].contains($0.key) }
        }
        guard let fileMap else { return }
        let generated = AppFolderLayout.generatedMap(
            paths: tree.files.map(\.path), entry: entry, urlPrefix: urlPrefix)
        let targets = Set(tree.files.map { "/\($0.path)" } + ["/\(TreePath.appConfig)", "/\(TreePath.fileMap)"])
        for member in try Self.object(fileMap, .fileMap) where generated[member.key] == nil {
            guard let target = member.value.string, targets.contains(target) else {
                throw PlatformError(
                    .badPackage,
                    "files.json maps '\(ShownText.of(member.key.utf8))' to \(ShownText.of(member.value.text.utf8)), which is not in the package. A target must "
                        + "be '/' and the path of a file.",
                    entry: TreePath.fileMap.text, reason: "file-map-target")
            }
            self.fileMap.append(Mapping(key: member.key, target: Normalization.nfc(target)))
        }
    }

    private static func object(_ bytes: [UInt8], _ path: TreePath) throws(PlatformError) -> [JSON.Member] {
        guard let members = JSON(parsing: bytes)?.members else {
            throw PlatformError(
                .badPackage,
                "\(path) at the root is not a JSON object. Correct it, or leave it out: Larder generates one.",
                entry: path.text, reason: "descriptor-not-an-object")
        }
        return members
    }
}
