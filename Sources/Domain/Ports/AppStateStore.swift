package import Ground

/// The store of the states from which the responses to devices are made, and of the events that devices wait for.
package protocol AppStateStore: Sendable {
    /// The random hex digits that begin every cursor.
    ///
    /// They are generated when the store is created, and again when a backup is restored.
    var epoch: String { get }

    /// Throws unless the store works.
    func check() async throws(PlatformError)
    func apps() async throws(PlatformError) -> [AppID]
    /// Returns the state from which the responses to an app's devices are made.
    ///
    /// - Parameter now: The instant that bounds the state, at least the last activation: versions that no device is
    ///   offered then or later appear only in their releases, so that ended releases cost nothing more.
    func state(of app: AppID, at now: Timestamp) async throws(PlatformError) -> AppState
    /// Returns the state with the releases as they were or will be at an instant, and all else as it is now.
    func state(of app: AppID, asOf instant: Timestamp) async throws(PlatformError) -> AppState
    /// Sets the app's config version to `max(last + 1, now)`.
    func drawConfigVersion(of app: AppID, at now: Timestamp) async throws(PlatformError)
    /// Inserts the due events (``AnnouncedRelease/due(among:at:)``), each once, and ends the online periods that are
    /// over, with an event for each package.
    ///
    /// Draws a config version if it changed anything.
    func recordActivations(of app: AppID, upTo instant: Timestamp) async throws(PlatformError)
    /// Returns the last events of an app, oldest first.
    func events(of app: AppID, last count: Int) async throws(PlatformError) -> [Event]
}
