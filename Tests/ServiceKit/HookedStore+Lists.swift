package import Domain

/// Pages of lists, and deletions.
extension HookedStore {
    package func removeChannel(
        _ channel: ChannelName, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removeChannel(channel, of: app, audit: audit)
    }

    package func packages(of app: AppID, _ query: PackageQuery) async throws(PlatformError) -> [Package] {
        try await base.packages(of: app, query)
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
