package import Domain

/// Pages of lists, and deletions.
extension HookedStore {
    package func blobTotals() async throws(PlatformError) -> (count: Int, bytes: Int64) {
        try await base.blobTotals()
    }

    package func removeChannel(
        _ channel: ChannelName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removeChannel(channel, of: app, audit: audit)
    }

    package func packages(of app: AppID, _ query: PackageQuery) async throws(PlatformError) -> [Package] {
        try await base.packages(of: app, query)
    }

    package func releases(of app: AppID, _ query: ReleaseQuery) async throws(PlatformError) -> [Release] {
        try await base.releases(of: app, query)
    }

    package func versions(
        beginningWith prefix: String, in app: AppID, limit: Int
    ) async throws(PlatformError) -> [FoundVersion] {
        try await base.versions(beginningWith: prefix, in: app, limit: limit)
    }

    package func publishedCounts(
        of packages: [PackageID], in app: AppID
    ) async throws(PlatformError) -> [PackageID: PublishedCount] {
        try await base.publishedCounts(of: packages, in: app)
    }

    package func removePackage(
        _ package: PackageID, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removePackage(package, in: app, audit: audit)
    }

    package func versions(
        of package: PackageID, in app: AppID, _ query: VersionQuery
    ) async throws(PlatformError) -> VersionPage {
        try await base.versions(of: package, in: app, query)
    }

    package func removeDeviceList(
        _ list: DeviceListName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removeDeviceList(list, of: app, audit: audit)
    }
}
