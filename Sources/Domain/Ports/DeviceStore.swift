/// The store of everything that names one device.
package protocol DeviceStore: Sendable {
    /// Returns 16 random bytes that differ between installations, and stay the same in a copy of the database.
    func deviceSecret() async throws(PlatformError) -> [UInt8]
    /// Records the secret by which device ids are hashed, if the rule lets it.
    ///
    /// - Parameter rule: Returns the record after a start, given that of the last one; throws to keep that.
    func settleDeviceSecret(
        _ rule: @escaping @Sendable (DeviceSecretRecord?) throws(PlatformError) -> DeviceSecretRecord?
    ) async throws(PlatformError) -> DeviceSecretRecord?
    /// Returns what is stored about a device under either of its names.
    func device(_ names: DeviceNames, in app: AppID) async throws(PlatformError) -> DeviceRecord
    /// Removes a device from the seen devices, the reports and the device lists of an app.
    ///
    /// Also removes the facts to which no device refers, some of which the device may have sent earlier. Draws a config
    /// version if a device list named the device. Removes ``DeviceErasure/maximumReports`` reports at most.
    ///
    /// - Parameter audit: Makes the audit entry, which is written even if nothing was removed.
    func eraseDevice(
        _ names: DeviceNames, in app: AppID, audit: @escaping @Sendable (DeviceErasure) -> AuditEntry
    ) async throws(PlatformError) -> DeviceErasure
}
