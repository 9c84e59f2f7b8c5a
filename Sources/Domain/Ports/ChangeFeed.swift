/// The feed of what other nodes have changed in the store (decision 0064).
package protocol ChangeFeed: Sendable {
    /// Waits until the store notifies of a change, two seconds at most, and returns the current facts.
    ///
    /// The first call, and the first one after a failure, connects and returns without waiting. Throws
    /// `storageUnavailable` if the store cannot be reached.
    func next() async throws(PlatformError) -> StoreFacts
    /// Ends the current and all later waits.
    func stop()
}

/// The facts by which a node recognizes that its memory is outdated.
package struct StoreFacts: Sendable, Equatable {
    package let apps: [AppID: AppRevision]
    /// The number of all changes to tokens, their creation included.
    package let tokenChanges: Int64
    /// The number of the newest migration.
    package let schema: Int64
    /// Whether the data were moved to another database, which has the later ones (decision 0067).
    package let isMoved: Bool
    /// An instant before the facts were read.
    package let instant: ContinuousClock.Instant

    package init(
        apps: [AppID: AppRevision], tokenChanges: Int64, schema: Int64, isMoved: Bool = false,
        instant: ContinuousClock.Instant
    ) {
        self.apps = apps
        self.tokenChanges = tokenChanges
        self.schema = schema
        self.isMoved = isMoved
        self.instant = instant
    }
}
