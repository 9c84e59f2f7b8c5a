/// The store of presets, which record the versions that builds of apps ship.
package protocol PresetStore: Sendable {
    /// Returns the presets, newest first.
    func presets(of app: AppID) async throws(PlatformError) -> [Preset]
    /// Inserts a preset of a new build, together with its patches.
    func addPreset(
        _ preset: Preset, patches: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError)
    /// Removes a preset; returns `false` if there is none.
    func removePreset(of build: VersionString, in app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
}
