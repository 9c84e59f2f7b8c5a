/// The store of apps and their channels.
package protocol AppStore: Sendable {
    /// Creates an app with its first keys and the channel `production`; returns `false` if it exists.
    func createApp(_ app: AppID, keys: [AppKey], audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Returns the channels of an app by name.
    func channels(of app: AppID) async throws(PlatformError) -> [Channel]
    func channel(_ name: ChannelName, of app: AppID) async throws(PlatformError) -> Channel?
    /// Declares a channel or replaces its settings; returns `false` if it existed, and writes nothing if nothing differs.
    func putChannel(_ channel: Channel, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Removes a channel and its decided approval requests; returns `false` and writes nothing if there is none.
    ///
    /// Throws `conflict` if a release, a pending approval request or a recorded device is on the channel.
    func removeChannel(_ channel: ChannelName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
}
