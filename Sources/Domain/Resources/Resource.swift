package import Ground

/// A file of a version as seed 004's clients know it.
package struct Resource: Sendable, Equatable {
    package let id: ResourceID
    package let path: TreePath
    package let digest: SHA256Digest
    package let size: Int
    package let isCached: Bool
    package let kind: Int64
    package let mediaType: String
    package let matchURL: String
    /// The active time of its rule, which applies if it is later than the release's own.
    package let activeTime: Timestamp?
}

/// The resources of one version, by path.
package struct VersionResources: Sendable, Equatable {
    package let resources: [Resource]

    /// The limit on the resources of a version.
    package static let maximumCount = 5000

    /// Applies a package's settings to a version's files.
    ///
    /// Throws the first problem that keeps clients from using the version.
    package init(
        of tree: Tree, entry: TreePath?, urlPrefix: URLPrefix, settings: ResourceSettings
    ) throws(Fault) {
        let files = tree.files.filter { $0.path != .ownSettings }
        guard files.count <= Self.maximumCount else {
            throw Fault(
                "It has \(files.count) files, and a list of resources has at most \(Self.maximumCount). Join small files, "
                    + "or publish fewer.", nil)
        }
        var seen: [String: TreePath] = [:]
        var patterns: [URLPattern: TreePath] = [:]
        var resources: [Resource] = []
        for file in files {
            let rule = settings.rule(of: file.path)
            let resource = Resource(file, rule, isEntry: file.path == entry, below: urlPrefix)
            if let other = seen.updateValue(file.path, forKey: resource.id.folded) {
                throw Fault(
                    "'\(other)' and '\(file.path)' both have the resourceID '\(resource.id)'. Give each a rule of its own.",
                    file.path)
            }
            if let pattern = rule?.matchURL, let other = patterns.updateValue(file.path, forKey: pattern) {
                throw Fault(
                    "'\(other)' and '\(file.path)' both have the matchUrl '\(pattern)'. Give each a rule of its own.",
                    file.path)
            }
            resources.append(resource)
        }
        self.resources = resources
    }

    /// A problem that keeps clients from using a version.
    package struct Fault: Error, Sendable, Equatable {
        /// A sentence with the remedy.
        package let message: String
        package let path: TreePath?

        init(_ message: String, _ path: TreePath?) {
            self.message = message
            self.path = path
        }
    }
}

extension Resource {
    fileprivate init(
        _ file: TreeFile, _ rule: ResourceRule?, isEntry: Bool, below prefix: URLPrefix
    ) {
        let type = MediaType(of: file.path)
        self.init(
            id: rule?.resourceID ?? ResourceID(of: file.path),
            path: file.path, digest: file.content.digest, size: file.content.size,
            isCached: rule?.isCached ?? true, kind: rule?.kind ?? ResourceKind.number(of: type),
            mediaType: rule?.mediaType ?? type?.essence ?? "application/octet-stream",
            matchURL: (rule?.matchURL ?? URLPattern(of: file.path, below: prefix, isEntry: isEntry)).text,
            activeTime: rule?.activeTime)
    }
}
