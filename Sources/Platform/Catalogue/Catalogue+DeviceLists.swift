package import Domain

extension Catalogue {
    /// Makes a list of devices or puts others on it; `false` where it was there already.
    ///
    /// Releases that name it change whom they are for at once.
    package func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: LiveApp, by author: Operator
    ) async throws(PlatformError) -> Bool {
        try await live.change(app) { () throws(PlatformError) in
            try await live.store.putDeviceList(
                list, devices, of: app.id,
                audit: author.audit(
                    "device-list.put", list.text, in: app.id, at: clock.now(),
                    [.init("devices", .integer(Int64(devices.count)))]))
        }
    }
}
