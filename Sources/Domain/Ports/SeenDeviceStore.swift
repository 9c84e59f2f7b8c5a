/// What a store keeps of devices that asked; no device hears of it, and it has no audit.
///
/// Throw `storageFull` or `storageFailed` where the store fails.
package protocol SeenDeviceStore: Sendable {
    /// Notes devices, each in the place of what was noted of it there.
    func noteSeenDevices(_ devices: [SeenPlace: [SeenDevice]]) async throws(PlatformError)
    /// Where devices were noted, and when the first one was.
    func seenPlaces() async throws(PlatformError) -> [SeenPlace: Timestamp]
    /// Of the devices that were noted at a place the first so many behind `last`, by their keys.
    func seenDevices(
        at place: SeenPlace, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> [SeenDevice]
    /// Removes those of the same devices that were not seen within `kept`.
    ///
    /// - Returns: The last that was looked at; `nil` where there was none.
    func removeSeenDevices(
        at place: SeenPlace, notWithin kept: Range<Timestamp>, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> DeviceKey?
    /// Removes up to some thousand texts that no device sends any more, in one transaction; returns how many.
    func removeUnusedTexts() async throws(PlatformError) -> Int
    /// Removes all devices, and that any were seen.
    func removeAllSeenDevices() async throws(PlatformError)
}
