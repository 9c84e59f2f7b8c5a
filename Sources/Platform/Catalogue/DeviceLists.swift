package import Domain
import Ground

/// The use cases of device lists.
package struct DeviceLists: Sendable {
    private let live: LiveApps
    private let store: any DeviceListStore
    private let clock: any WallClock

    package init(live: LiveApps, store: any DeviceListStore, clock: any WallClock) {
        self.live = live
        self.store = store
        self.clock = clock
    }

    /// Returns the device lists of an app, by name.
    package func deviceLists(of app: LiveApp) async throws(PlatformError) -> [DeviceListSummary] {
        try await store.deviceLists(of: app.id)
    }

    /// Returns a device list, or throws `listNotFound`.
    package func requireDeviceList(
        _ list: DeviceListName, of app: LiveApp
    ) async throws(PlatformError) -> DeviceListSummary {
        guard let known = try await deviceLists(of: app).first(where: { $0.name == list }) else {
            throw PlatformError.noDeviceList(list, of: app.id)
        }
        return known
    }

    /// Deletes a device list that no release has named, and returns it.
    ///
    /// Throws `listNotFound`, `preconditionFailed` and `conflict`.
    package func deleteDeviceList(
        _ list: DeviceListName, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil, by author: Operator
    ) async throws(PlatformError) -> DeviceListSummary {
        try await live.change(app) { () throws(PlatformError) in
            let known = try await deviceLists(of: app).first { $0.name == list }
            try precondition?.require(known.map(\.tag), of: "The device list '\(list)'", called: "revision")
            let audit = author.audit(
                .deleteDeviceList, list.text, in: app.id, at: clock.now(),
                change: known.map { .removed($0.auditMembers) } ?? .none)
            guard let known, try await store.removeDeviceList(list, of: app.id, audit: audit) else {
                throw PlatformError.noDeviceList(list, of: app.id)
            }
            return known
        }
    }

    /// Creates a device list at revision 1, or replaces the devices of an existing one.
    ///
    /// The change takes effect at once for releases that name the list. Throws `preconditionFailed`, and `conflict` if
    /// there are too many lists.
    package func putDeviceList(
        _ list: DeviceListName, _ devices: DeviceSet, of app: LiveApp, ifMatch precondition: IfMatchPrecondition? = nil,
        by author: Operator
    ) async throws(PlatformError) -> DeviceListSummary {
        try await live.change(app) { () throws(PlatformError) in
            let known = try await store.deviceLists(of: app.id).first { $0.name == list }
            try precondition?.require(
                known.map(\.tag), of: "The device list '\(list)'", called: "revision")
            let now = clock.now()
            let changed = DeviceListSummary(
                name: list, count: devices.count, revision: (known?.revision ?? 0) + 1, changedAt: now)
            _ = try await store.putDeviceList(
                list, devices, of: app.id,
                audit: author.audit(
                    .putDeviceList, list.text, in: app.id, at: now,
                    [.init("devices", .integer(Int64(devices.count)))],
                    change: AuditChange(from: known?.auditMembers, to: changed.auditMembers)))
            return changed
        }
    }
}
