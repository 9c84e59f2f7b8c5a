package import Domain
package import Ground

extension HookedStore {
    package func state(of app: AppID, asOf instant: Timestamp) async throws(PlatformError) -> AppState {
        try await base.state(of: app, asOf: instant)
    }

    package func changeReleases(_ releases: [Release], audit: AuditEntry) async throws(PlatformError) {
        try await hooked(.changeRelease) { () throws(PlatformError) in
            try await base.changeReleases(releases, audit: audit)
        }
    }

    package func releases(ofSet set: ReleaseSetID?, in app: AppID) async throws(PlatformError) -> [Release] {
        try await base.releases(ofSet: set, in: app)
    }

    package func deviceLists(of app: AppID) async throws(PlatformError) -> [DeviceListSummary] {
        try await base.deviceLists(of: app)
    }

    package func devices(on list: DeviceListName, of app: AppID) async throws(PlatformError) -> DeviceSet? {
        try await base.devices(on: list, of: app)
    }

    package func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.putDeviceList(list, devices, of: app, audit: audit)
    }

    package func builds(of app: AppID) async throws(PlatformError) -> [RegisteredBuild] {
        try await base.builds(of: app)
    }

    package func putBuild(
        _ build: HostBuild, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.putBuild(build, of: app, audit: audit)
    }

    package func deleteBuild(
        _ appVersion: String, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.deleteBuild(appVersion, of: app, audit: audit)
    }
}
