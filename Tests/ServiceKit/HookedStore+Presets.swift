package import Domain

/// The methods without hooks for presets.
extension HookedStore {
    package func presets(of app: AppID) async throws(PlatformError) -> [Preset] {
        try await base.presets(of: app)
    }

    package func addPreset(
        _ preset: Preset, patches: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError) {
        try await base.addPreset(preset, patches: patches, audit: audit)
    }

    package func removePreset(
        of build: VersionString, in app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool {
        try await base.removePreset(of: build, in: app, audit: audit)
    }

    package func shippedVersions(
        of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> [VersionString] {
        try await base.shippedVersions(of: package, in: app)
    }
}
