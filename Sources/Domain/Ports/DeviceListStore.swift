/// The store of device lists.
package protocol DeviceListStore: Sendable {
    /// Returns the device lists of an app, by name.
    func deviceLists(of app: AppID) async throws(PlatformError) -> [DeviceListSummary]
    /// Returns the devices of a list; `nil` if there is no such list.
    func devices(on list: DeviceListName, of app: AppID) async throws(PlatformError) -> DeviceSet?
    /// Inserts a device list or replaces its devices; returns whether it is new.
    ///
    /// Throws `conflict` if there are too many lists.
    func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: AppID, audit: AuditEntry
    ) async throws(PlatformError) -> Bool
    /// Removes a device list; returns `false` and writes nothing if there is none.
    ///
    /// Throws `conflict` if a release names the list.
    func removeDeviceList(_ list: DeviceListName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
}
