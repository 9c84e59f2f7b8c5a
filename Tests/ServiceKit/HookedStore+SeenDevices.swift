package import Domain
package import Ground

/// The methods for seen devices; only recording has a hook.
extension HookedStore {
    package func noteSeenDevices(_ devices: [SeenPlace: [SeenDevice]]) async throws(PlatformError) {
        try await hooked(.noteSeenDevices) { () throws(PlatformError) in try await base.noteSeenDevices(devices) }
    }

    package func seenPlaces() async throws(PlatformError) -> [SeenPlace: Timestamp] {
        try await base.seenPlaces()
    }

    package func seenDevices(
        at place: SeenPlace, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> [SeenDevice] {
        try await base.seenDevices(at: place, after: last, upTo: count)
    }

    package func removeSeenDevices(
        at place: SeenPlace, notWithin kept: Range<Timestamp>, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> DeviceKey? {
        try await base.removeSeenDevices(at: place, notWithin: kept, after: last, upTo: count)
    }

    package func removeUnusedTexts() async throws(PlatformError) -> Int { try await base.removeUnusedTexts() }

    package func removeAllSeenDevices() async throws(PlatformError) {
        try await base.removeAllSeenDevices()
    }
}
