import Domain
import Execution
import Ground

extension PresetPacker {
    /// Packs `<version>.json`, a package's resource list without patches, and each resource under the name by which a
    /// client stores it (clients.md P6, P7).
    func packResources(
        _ preset: Preset, _ id: PackageID?, on channel: ChannelName,
        url: @escaping @Sendable (ResourceList.Item) -> String
    ) async throws(PlatformError) -> OpenBlob {
        let app = try live.requireApp(preset.app)
        _ = try app.requireView(of: channel)
        return try await builds.pass { () throws(PlatformError) in
            // No release comes in between the list and the version.
            let (version, list, format) = try await live.alone(with: app) { () throws(PlatformError) in
                let (package, version) = try await shipped(preset, id)
                let published = try await live.resources.list(
                    shipping: version.version, of: package, on: channel, in: app)
                return (version, published.list, published.timeFormat)
            }
            let json = list.json(ResourceList.Wording(timeFormat: format, url: url)).bytes(escapingNonASCII: true)
            return try await blobs.withStaging(on: work) { staging throws(PlatformError) in
                try await work.run { () throws(PlatformError) in
                    let content = try workshop.stage(json, into: staging)
                    let name = try Self.path("\(list.version).json")
                    var files = [TreeFile(path: name, content: content)]
                    for item in list.items {
                        guard let file = version.tree[item.resource.path] else { continue }
                        let name = try Self.path(item.resource.id.fileName(item.number))
                        files.append(TreeFile(path: name, content: file.content))
                    }
                    return try zip(Tree(files).files, staging)
                }
            }
        }
    }

    /// Returns the requested package, or the only one with the dialect, and the version of it that the build ships.
    private func shipped(
        _ preset: Preset, _ id: PackageID?
    ) async throws(PlatformError) -> (Package, Version) {
        let candidates = try await store.packages(of: preset.app).filter { package in
            package.dialects.contains(.resourcesJSON) && preset.versions[package.id] != nil
                && (id == nil || package.id == id)
        }
        guard let package = candidates.first, candidates.count == 1, let name = preset.versions[package.id] else {
            throw PlatformError(
                .invalidRequest,
                "The preset for \(preset.build) ships \(candidates.count) packages with the dialect 'resources-json'"
                    + (id.map { " called '\($0)'" } ?? "") + ", and this format holds one. Give one in 'packages'.")
        }
        guard let version = try await store.version(name, of: package.id, in: preset.app) else {
            throw PlatformError.noVersion(name, of: package.id)
        }
        return (package, version)
    }

    private static func path(_ name: String) throws(PlatformError) -> TreePath {
        guard let path = try? TreePath(name) else {
            throw PlatformError(.internalError, "The preset could not be packed.", cause: "no path: \(name)")
        }
        return path
    }
}
