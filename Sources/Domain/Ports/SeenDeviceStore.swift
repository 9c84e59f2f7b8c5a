package import Ground

/// The store of seen devices; changes are neither audited nor visible to devices.
package protocol SeenDeviceStore: Sendable {
    /// Inserts or replaces devices.
    func noteSeenDevices(_ devices: [SeenChannel: [SeenDevice]]) async throws(PlatformError)
    /// Returns the apps and channels with seen devices, and the time of the first one.
    func seenChannels() async throws(PlatformError) -> [SeenChannel: Timestamp]
    /// Returns up to `count` devices of an app and channel with keys after `last`, by key.
    func seenDevices(
        in channel: SeenChannel, after last: DeviceKey?, upTo count: Int
    ) async throws(PlatformError) -> [SeenDevice]
    /// Removes those of up to `count` devices after `last` that were seen before `kept`.
    ///
    /// Those that were seen after `kept`, by a clock that was ahead, are seen at `now` from then on.
    ///
    /// - Returns: The last examined key; `nil` if there was none.
    func removeSeenDevices(
        in channel: SeenChannel, notWithin kept: Range<Timestamp>, at now: Timestamp, after last: DeviceKey?,
        upTo count: Int
    ) async throws(PlatformError) -> DeviceKey?
    /// Removes up to 100,000 facts that no device refers to any more; returns their number.
    ///
    /// Returns 0 once there are none, and if devices share no stored facts.
    func removeUnusedTexts() async throws(PlatformError) -> Int
    /// Removes all devices and the times of first sight.
    func removeAllSeenDevices() async throws(PlatformError)
}
