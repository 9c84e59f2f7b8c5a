package import Domain

extension HookedStore {
    package func archive(
        of name: ReleaseArchiveName, in layout: Layout, on channel: ChannelName, of app: AppID
    ) async throws(PlatformError) -> Artifact? {
        try await hooked(.archive) { () throws(PlatformError) in
            try await base.archive(of: name, in: layout, on: channel, of: app)
        }
    }

    package func file(
        named name: TreePath, of version: VersionString, of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> TreeFile? {
        try await hooked(.file) { () throws(PlatformError) in
            try await base.file(named: name, of: version, of: package, in: app)
        }
    }
}
