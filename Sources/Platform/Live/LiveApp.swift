package import Domain
import Execution
package import Ground
import Synchronization

/// An observer of committed changes, called when all responses reflect them.
package protocol ChangeObserver: AnyObject, Sendable {
    /// Called before responses reflect changes that another node has made, or that may have been committed.
    func appFollows(_ app: LiveApp)
    /// Called after a change with events.
    func eventsAppended(_ events: [Event], to app: LiveApp)
    /// Called instead of ``eventsAppended(_:to:)`` if the store has lost events: the log has other ones now.
    func eventsReplaced(in app: LiveApp)
    /// Called when the revisions of the store were read, with or without changes.
    func storeRead(of app: LiveApp)
    /// Called after every change, with or without events.
    func appChanged(_ app: LiveApp)
}

extension ChangeObserver {
    package func appFollows(_ app: LiveApp) {}
    package func eventsAppended(_ events: [Event], to app: LiveApp) {}
    package func eventsReplaced(in app: LiveApp) {}
    package func storeRead(of app: LiveApp) {}
    package func appChanged(_ app: LiveApp) {}
}

/// An app as its devices see it: read by every request without waiting, and replaced as a whole by every change.
package final class LiveApp: Sendable {
    private struct State {
        var views: [ChannelName: ChannelView]
        var resources: [ChannelName: ResourceOffers] = [:]
        var named: Set<SHA256Digest> = []
        var log: EventLog
        var lastActivation: Timestamp?
        /// The revision of the views, and the newest one that the store is known to have.
        var loaded = AppRevision.none
        var stored = AppRevision.none
        var isStale = false
        var isActivating = false
        var progress: LoadingProgress
    }

    package let id: AppID
    /// The gate that admits one change of the app at a time: read, decide, commit, swap, wake.
    let changes = AsyncGate(width: 1)
    /// The lists and tables that the rules of its releases need.
    let audienceCache = AudienceCache()
    let permissions = PermissionSignatures()
    private let state: Mutex<State>

    /// - Parameter begin: An instant before the app is read from the store.
    init(id: AppID, log: EventLog, readAfter begin: ContinuousClock.Instant = .now) {
        self.id = id
        state = Mutex(State(views: [:], log: log, progress: LoadingProgress(asOf: begin)))
    }

    /// Returns the view of a channel; `nil` if it was never declared.
    package func view(of channel: ChannelName) -> ChannelView? {
        state.withLock { $0.views[channel] }
    }

    /// The views of all channels.
    var allViews: [ChannelView] { state.withLock { Array($0.views.values) } }

    /// The channels of the app.
    package var channels: [ChannelName] { allViews.map(\.channel) }

    /// The blobs of every archive and patch that responses on any channel name.
    var named: Set<SHA256Digest> {
        state.withLock { $0.named }
    }

    /// Returns the offers of a channel to seed 004's clients.
    package func resources(of channel: ChannelName) -> ResourceOffers {
        state.withLock { $0.resources[channel] ?? .none }
    }

    /// Returns the view of a channel, or throws `channelNotFound`.
    package func requireView(of channel: ChannelName) throws(PlatformError) -> ChannelView {
        guard let view = view(of: channel) else {
            throw PlatformError(.channelNotFound, "The app '\(id)' has no channel '\(channel)'.")
        }
        return view
    }

    /// The event log, for clients that return with a cursor.
    package var log: EventLog {
        state.withLock { $0.log }
    }

    /// The earliest boundary of any channel.
    package var boundary: Timestamp? {
        state.withLock { $0.views.values.compactMap(\.boundary).min() }
    }

    /// Whether the store may have a change that is not loaded: its commit is unknown, reading the store failed after it,
    /// or another node has made it.
    var isStale: Bool {
        get { state.withLock { $0.isStale || $0.loaded.isBehind($0.stored) } }
        set { state.withLock { $0.isStale = newValue } }
    }

    /// Notes a revision that was read from the store; returns whether the views have to be loaded.
    ///
    /// A revision before the one of the views shows that the store has lost commits, if it was read after the views were
    /// loaded.
    ///
    /// - Parameter instant: An instant before the reading.
    @discardableResult
    func noteStored(_ revision: AppRevision, asOf instant: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            if state.progress.note(revision, asOf: instant, loaded: state.loaded) {
                state.stored = revision
                state.isStale = true
            } else {
                state.stored = state.stored.later(revision)
            }
            return state.isStale || state.loaded.isBehind(state.stored)
        }
    }

    /// The latest instant at which the store is known to have had nothing that the views lack.
    var currentInstant: ContinuousClock.Instant { state.withLock { $0.progress.current } }

    /// Whether the store was read after an instant and did not have the event of a cursor.
    package func wasAbsent(_ cursor: Cursor, after instant: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard let read = state.progress.read else { return false }
            return read.instant > instant && read.revision.sequence < cursor.sequence
        }
    }

    /// Takes over the revision that the store has while no node changes the app; returns whether the views differ from it.
    ///
    /// It is earlier than a known one if the store has lost commits.
    func settle(_ revision: AppRevision) -> Bool {
        state.withLock { state in
            state.stored = revision
            return state.loaded != revision
        }
    }

    /// Returns the instant of changes that are made at `now`: never before the last activation.
    ///
    /// So a new release ranks above the active ones even if the clock was set back (semantics.md §2).
    package func decisionInstant(_ now: Timestamp) -> Timestamp {
        state.withLock { max(now, $0.lastActivation ?? now) }
    }

    /// Returns the releases of all channels that are neither rolled back nor superseded.
    package func openReleases(at instant: Timestamp) -> OpenReleases {
        OpenReleases(allViews.flatMap { $0.releases + $0.hidden }, at: instant)
    }

    static func named(in views: [ChannelName: ChannelView]) -> Set<SHA256Digest> {
        views.values.reduce(into: []) { $0.formUnion($1.named) }
    }

    /// Begins an activation; returns `false` if one is under way.
    func beginActivation() -> Bool {
        state.withLock { state in
            guard !state.isActivating else { return false }
            state.isActivating = true
            return true
        }
    }

    func endActivation() {
        state.withLock { $0.isActivating = false }
    }

    /// The events that a change brings to the log.
    enum NewEvents {
        case later([Event])
        /// The whole log of a store that has lost events of the previous one.
        case replaced(EventLog)
    }

    func swap(
        views: [ChannelName: ChannelView], naming named: Set<SHA256Digest>,
        resources: [ChannelName: ResourceOffers], of loaded: AppState, events: NewEvents
    ) {
        state.withLock { state in
            state.loaded = loaded.revision
            state.progress.noteLoaded(loaded.revision)
            state.views = views
            state.resources = resources
            state.named = named
            state.lastActivation = loaded.lastActivation
            switch events {
            case .later(let events): state.log.append(events)
            case .replaced(let log): state.log = log
            }
            state.isStale = false
        }
    }
}
