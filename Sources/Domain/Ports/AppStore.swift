/// The store of apps and their channels.
package protocol AppStore: Sendable {
    /// Creates an app with its first keys and the channel `production`; returns `false` if it exists.
    func createApp(_ app: AppID, keys: [AppKey], audit: AuditEntry) async throws(PlatformError) -> Bool
    func channels(of app: AppID) async throws(PlatformError) -> [ChannelName]
    /// Declares a channel; returns `false` if it exists.
    func declareChannel(_ channel: ChannelName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
    /// Removes a channel; returns `false` and writes nothing if there is none.
    ///
    /// Throws `conflict` if a release or a recorded device is on the channel.
    func removeChannel(_ channel: ChannelName, of app: AppID, audit: AuditEntry) async throws(PlatformError) -> Bool
}
