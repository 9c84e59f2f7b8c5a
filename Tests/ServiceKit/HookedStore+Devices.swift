package import Domain
package import Ground

extension HookedStore: SeenDeviceStore {
    package func noteSeenDevices(_ devices: [SeenChannel: [SeenDevice]]) async throws(PlatformError) {
        try await hooked(.noteSeenDevices) { () throws(PlatformError) in try await base.noteSeenDevices(devices) }
    }
    package func seenChannels() async throws(PlatformError) -> [SeenChannel: Timestamp] {
        try await base.seenChannels()
    }
    package func seenDevices(
        in channel: SeenChannel, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> [SeenDevice] {
        try await hooked(.seenDevices) { () throws(PlatformError) in
            try await base.seenDevices(in: channel, after: last, upTo: count)
        }
    }
    package func removeSeenDevices(
        in channel: SeenChannel, notWithin kept: Range<Timestamp>, at now: Timestamp, after last: DeviceKey?,
        upTo count: Int
    ) async throws(PlatformError) -> DeviceKey? {
        try await hooked(.removeSeenDevices) { () throws(PlatformError) in
            try await base.removeSeenDevices(in: channel, notWithin: kept, at: now, after: last, upTo: count)
        }
    }
    package func removeUnusedTexts() async throws(PlatformError) -> Int { try await base.removeUnusedTexts() }
    package func removeAllSeenDevices() async throws(PlatformError) { try await base.removeAllSeenDevices() }
}

extension HookedStore: DeviceStore {
    package func deviceSecret() async throws(PlatformError) -> [UInt8] { try await base.deviceSecret() }
    package func settleDeviceSecret(
        _ rule: @escaping @Sendable (DeviceSecretRecord?) throws(PlatformError) -> DeviceSecretRecord?
    ) async throws(PlatformError) -> DeviceSecretRecord? {
        try await base.settleDeviceSecret(rule)
    }
    package func device(_ names: DeviceNames, in app: AppID) async throws(PlatformError) -> DeviceRecord {
        try await base.device(names, in: app)
    }
    package func eraseDevice(
        _ names: DeviceNames, in app: AppID, audit: @escaping @Sendable (DeviceErasure) -> AuditEntry
    ) async throws(PlatformError) -> DeviceErasure {
        try await base.eraseDevice(names, in: app, audit: audit)
    }
}

extension HookedStore: AdoptionStore {
    package func noteSeenDay(
        _ day: UInt16
    ) async throws(PlatformError) -> (calendar: SeenCalendar, uncounted: Set<SeenChannel>) {
        try await base.noteSeenDay(day)
    }
    package func noteAdoption(
        _ versions: [PackageID: [VersionString: Int]], in channel: SeenChannel, on day: UInt16
    ) async throws(PlatformError) {
        try await hooked(.noteAdoption) { () throws(PlatformError) in
            try await base.noteAdoption(versions, in: channel, on: day)
        }
    }
    package func adoptionDays(
        of package: PackageID, in channel: SeenChannel
    ) async throws(PlatformError) -> [AdoptionDay] {
        try await hooked(.adoptionDays) { () throws(PlatformError) in
            try await base.adoptionDays(of: package, in: channel)
        }
    }
    package func publishedVersions(of app: AppID) async throws(PlatformError) -> [PackageID: Set<VersionString>] {
        try await base.publishedVersions(of: app)
    }
    package func installationReports(
        of package: PackageID, in app: AppID, before number: Int64?, examining count: Int
    ) async throws(PlatformError) -> InstallationReport.Page {
        try await base.installationReports(of: package, in: app, before: number, examining: count)
    }
}
