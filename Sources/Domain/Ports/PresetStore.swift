/// What the store knows of builds of apps, and what they ship.
///
/// Each method is one transaction. Throw `storageFull` or `storageFailed` where the store fails.
package protocol PresetStore: Sendable {
    /// The newest first.
    func presets(of app: AppID) async throws(PlatformError) -> [Preset]
    /// Adds a preset of a build that is not known, together with the patches that were made for it.
    func addPreset(
        _ preset: Preset, patches: [SignedArtifact], audit: AuditEntry
    ) async throws(PlatformError)
    /// Forgets a preset; `false` where there is none.
    func removePreset(of build: VersionString, in app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// The versions of a package that presets ship, those of the newest preset first, without repetition.
    func shippedVersions(of package: PackageID, in app: AppID) async throws(PlatformError) -> [VersionString]
}
