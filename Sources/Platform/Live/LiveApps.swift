package import Domain
package import Execution
package import Ground
import Synchronization

/// The apps of the server as their devices see them, and the only way to change that: commit, swap, wake.
package final class LiveApps: Sendable {
    private let store: any AppStateStore & DeviceListStore & KeyStore & BlobNameStore
    /// The lock among servers; `nil` if this one has the store to itself.
    private let changeLock: (any ChangeLock)?
    package let resources: ResourceShelf
    /// The dialects that packages may turn on.
    package let dialects: DialectList
    private let clock: any WallClock
    private let deviceIDs: DeviceIDs
    private let cryptography: any Cryptography
    let work: WorkExecutor
    private let apps = Mutex<[AppID: LiveApp]>([:])
    private let observers = Mutex<[Observer]>([])
    let rescheduled = AsyncFlag()
    let unloaded = UnloadedApps()
    /// A gate for loading, so that all changes of an app share one object.
    private let loading = AsyncGate(width: 1)
    /// A reference to an observer, which holds this object and would otherwise stay as long as it.
    private struct Observer: Sendable {
        weak let object: (any ChangeObserver)?
    }

    /// A gate for views of other instants, each of which holds lists and tables of its own.
    private let explaining = AsyncGate(width: 1)

    /// - Parameters:
    ///   - work: The pool that builds views; not that of publishing, which may occupy all of its threads.
    ///   - changeLock: The lock of the changes of an app among servers; `nil` if there is one server.
    package init(
        store: any AppStateStore & DeviceListStore & KeyStore & BlobNameStore, resources: ResourceShelf,
        clock: any WallClock, deviceIDs: DeviceIDs, cryptography: any Cryptography, dialects: DialectList,
        work: WorkExecutor, changeLock: (any ChangeLock)? = nil
    ) {
        self.store = store
        self.changeLock = changeLock
        self.resources = resources
        self.clock = clock
        self.deviceIDs = deviceIDs
        self.cryptography = cryptography
        self.dialects = dialects
        self.work = work
    }

    /// Throws if the store does not respond.
    package func check() async throws(PlatformError) { try await store.check() }

    /// Adds an observer of all later changes, which the caller has to hold; called before serving begins.
    package func observe(_ observer: any ChangeObserver) {
        observers.withLock { $0.append(Observer(object: observer)) }
    }

    package func app(_ id: AppID) -> LiveApp? {
        apps.withLock { $0[id] }
    }

    package var all: [LiveApp] {
        apps.withLock { Array($0.values) }
    }

    /// Returns the app, or throws `appNotFound`.
    package func requireApp(_ id: AppID) throws(PlatformError) -> LiveApp {
        guard let app = app(id) else { throw .noApp(id) }
        return app
    }

    /// Loads every app and draws a new config version for each, at every start.
    package func load() async throws(PlatformError) {
        let counted = try await countGrace()
        for id in try await store.apps() { try await load(id, counted: counted, isDrawing: true) }
    }

    /// Returns the stored state of an app at an instant, which includes the committed changes that no view has yet.
    func state(of app: AppID, at instant: Timestamp) async throws(PlatformError) -> AppState {
        try await store.state(of: app, at: instant)
    }

    /// Advances the retention clock by the time since the last call, without jumps of the clock.
    ///
    /// - Returns: The instant up to which time is counted; marks must be written and evaluated at this instant, since
    ///   the clock may jump right after it.
    func countGrace() async throws(PlatformError) -> Timestamp {
        let now = clock.now()
        try await store.advanceRetentionClock(to: now, counting: RetentionPolicy.countedAtOnce)
        return now
    }

    /// Records that a response has just named these archives, which restarts their grace period.
    func noteNamed(_ archives: [SignedArtifact], of app: LiveApp) async throws(PlatformError) {
        try await alone(with: app) { () throws(PlatformError) in
            try await store.noteNamed(Set(archives.map(\.artifact.blob)), of: app.id)
        }
    }

    /// Loads an app and makes it visible, unless it is visible already.
    ///
    /// - Parameter isDrawing: Whether to draw a new config version.
    package func loadIfMissing(_ id: AppID, isDrawing: Bool = true) async throws(PlatformError) {
        try await loading.pass { () throws(PlatformError) in
            guard app(id) == nil else { return }
            try await load(id, counted: nil, isDrawing: isDrawing)
        }
    }

    /// Loads one app and makes it visible.
    ///
    /// - Parameter counted: See ``countGrace()``.
    private func load(_ id: AppID, counted: Timestamp?, isDrawing: Bool) async throws(PlatformError) {
        guard let changeLock else { return try await loadAlone(id, counted: counted, isDrawing: isDrawing) }
        try await changeLock.withChangesLocked(of: id) { (_) throws(PlatformError) in
            try await loadAlone(id, counted: counted, isDrawing: isDrawing)
        }
    }

    private func loadAlone(_ id: AppID, counted: Timestamp?, isDrawing: Bool) async throws(PlatformError) {
        let (now, begin) = (clock.now(), ContinuousClock.now)
        try await store.recordActivations(of: id, upTo: now)
        if isDrawing { try await store.drawConfigVersion(of: id, at: now) }
        let events = try await store.events(of: id, last: EventLog.capacity)
        let state = try await store.state(of: id, at: now)
        try requireKnownDialects(of: state.packages)
        let log = EventLog(epoch: store.epoch, events: events, sequence: state.sequence)
        let app = LiveApp(id: id, log: log, readAfter: begin)
        let views = try await views(of: state, as: app, at: now)
        let resources = try await resources(in: views, of: state, before: app)
        let named = try await noteNamed(in: views, of: app)
        app.swap(views: views, naming: named, resources: resources, of: state, events: .later([]))
        try await store.noteUnnamed(except: app.named, of: id, at: max(counted ?? now, now))
        apps.withLock { $0[id] = app }
        rescheduled.set()
    }

    /// Makes a change of an app, serialized with its other changes; then replaces its views and wakes waiting clients.
    ///
    /// Releases that have become due take effect with it.
    ///
    /// - Parameter body: Commits the change.
    package func change<Result>(
        _ app: LiveApp, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        try await alone(with: app) { () throws(PlatformError) -> Result in
            let result: Result
            do throws(PlatformError) {
                result = try await body()
            } catch {
                // The change may be committed if the connection to the database was lost: the activation loop loads
                // what is stored.
                if error.mayHaveCommitted { app.isStale = true }
                throw error
            }
            do throws(PlatformError) {
                try await refresh(app)
            } catch {
                // The change is committed but not loaded: the activation loop loads it.
                app.isStale = true
                throw error
            }
            return result
        }
    }

    /// Makes a change whose long preparation, such as building patches, does not delay other changes.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts while other changes require more preparation.
    ///   - prepare: Prepares the change, outside of the app's changes.
    ///   - commit: Commits the change; returns `nil`, without a change, if it requires more preparation.
    /// - Returns: The result of the commit; `nil` if no attempt succeeded.
    func change<Preparation, Result>(
        _ app: LiveApp, attempts: Int, preparing prepare: () async throws(PlatformError) -> Preparation,
        committing commit: (Preparation) async throws(PlatformError) -> Result?
    ) async throws(PlatformError) -> Result? {
        for _ in 0..<attempts {
            let preparation = try await prepare()
            let result = try await change(app) { () throws(PlatformError) in try await commit(preparation) }
            if let result { return result }
        }
        return nil
    }

    /// Runs an operation that devices do not see, serialized with the changes of an app on all servers.
    ///
    /// Loads what other nodes have changed first.
    func alone<Result>(
        with app: LiveApp, _ body: () async throws(PlatformError) -> Result
    ) async throws(PlatformError) -> Result {
        try await app.changes.pass { () throws(PlatformError) -> Result in
            guard let changeLock else { return try await body() }
            return try await changeLock.withChangesLocked(of: app.id) { (stored) throws(PlatformError) in
                if app.settle(stored) { try await refresh(app, isForeign: true) }
                return try await body()
            }
        }
    }

    /// Records the events of due releases and activates them.
    package func activate(_ app: LiveApp) async throws(PlatformError) {
        guard isDue(app) else { return }
        try await alone(with: app) { () throws(PlatformError) in
            // A change may have loaded it meanwhile.
            guard isDue(app) else { return }
            do throws(PlatformError) { try await refresh(app, isForeign: app.isStale) } catch {
                app.isStale = true
                throw error
            }
        }
    }

    private func isDue(_ app: LiveApp) -> Bool {
        app.isStale || app.boundary.map { $0 <= clock.now() } ?? false
    }

    /// Activates due releases and waits for the next boundary, until cancelled.
    ///
    /// A moved wall clock wakes no timer, so the clock is read at least once a second. Each app activates in a task of
    /// its own, so that a long change of one app does not delay the others.
    ///
    /// - Parameter report: Called with each failed activation, which is retried.
    package func runActivations(report: @escaping @Sendable (PlatformError) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for app in all where isDue(app) && app.beginActivation() {
                    group.addTask {
                        var hasFailed = false
                        do throws(PlatformError) { try await self.activate(app) } catch {
                            hasFailed = true
                            report(error)
                        }
                        app.endActivation()
                        // Another node may have made a further change meanwhile.
                        if !hasFailed, self.isDue(app) { self.rescheduled.set() }
                    }
                }
                await rescheduled.wait(upTo: .milliseconds(max(1, min(1000, untilNextBoundary))))
            }
        }
    }

    /// The milliseconds to the next boundary; a failed activation, which is already due, is retried after a second.
    private var untilNextBoundary: Int64 {
        let now = clock.now()
        let boundaries = all.compactMap(\.boundary).map { $0.milliseconds - now.milliseconds }
        return boundaries.filter { $0 > 0 }.min() ?? 1000
    }

    /// Loads the committed and due changes; the events of an activation are recorded before responses name it as
    /// current.
    ///
    /// - Parameter isForeign: Whether another node may have made changes.
    private func refresh(_ app: LiveApp, isForeign: Bool = false) async throws(PlatformError) {
        if isForeign { try await prepareToFollow(app) }
        let now = clock.now()
        try await store.recordActivations(of: app.id, upTo: now)
        let state = try await store.state(of: app.id, at: now)
        let events = try await newEvents(of: app, upTo: state.sequence)
        if case .replaced = events, !isForeign { try await prepareToFollow(app) }
        let views = try await views(of: state, as: app, at: now)
        let resources = try await resources(in: views, of: state, before: app)
        let named = try await noteNamed(in: views, of: app)
        app.swap(views: views, naming: named, resources: resources, of: state, events: events)
        rescheduled.set()
        for observer in currentObservers {
            switch events {
            case .later(let events): if !events.isEmpty { observer.eventsAppended(events, to: app) }
            case .replaced: observer.eventsReplaced(in: app)
            }
            observer.appChanged(app)
        }
    }

    var currentObservers: [any ChangeObserver] { observers.withLock { $0.compactMap(\.object) } }

    /// Discards what is remembered of an app that this server has not changed alone.
    private func prepareToFollow(_ app: LiveApp) async throws(PlatformError) {
        for observer in currentObservers { observer.appFollows(app) }
        try await resources.reloadHistories(of: app.id)
    }

    /// Returns the offers to seed 004's clients; their numbers are durable before any response names them.
    private func resources(
        in views: [ChannelName: ChannelView], of state: AppState, before app: LiveApp
    ) async throws(PlatformError) -> [ChannelName: ResourceOffers] {
        var offers: [ChannelName: ResourceOffers] = [:]
        for (channel, view) in views {
            offers[channel] = try await resources.offers(in: view, of: state, before: app.resources(of: channel))
        }
        return offers
    }

    /// Records the named blobs before any response names them, so that none of them counts as unreferenced.
    ///
    /// - Returns: The blobs that the views name.
    private func noteNamed(
        in views: [ChannelName: ChannelView], of app: LiveApp
    ) async throws(PlatformError) -> Set<SHA256Digest> {
        let (named, new) = await work.run {
            let named = LiveApp.named(in: views)
            return (named, named.subtracting(app.named))
        }
        if !new.isEmpty { try await store.noteNamed(new, of: app.id) }
        return named
    }

    /// Returns the events that the log lacks: of this change, and of an earlier one that could not be loaded.
    ///
    /// If PostgreSQL has failed over to a server without the last commits, the log has events that the store has lost, or
    /// in whose place it has others.
    private func newEvents(
        of app: LiveApp, upTo sequence: Int64
    ) async throws(PlatformError) -> LiveApp.NewEvents {
        let log = app.log
        guard log.sequence <= sequence else { return .replaced(try await storedLog(of: app, upTo: sequence)) }
        // Also the last event of the log, to compare the two.
        let count = min(Int(clamping: sequence - log.sequence) + 1, EventLog.capacity)
        let events = try await store.events(of: app.id, last: count)
        let isKnown = events.first { $0.sequence == log.sequence }.map { $0 == log.events.last } ?? true
        guard isKnown else { return .replaced(try await storedLog(of: app, upTo: sequence)) }
        return .later(events.filter { $0.sequence > log.sequence })
    }

    private func storedLog(of app: LiveApp, upTo sequence: Int64) async throws(PlatformError) -> EventLog {
        let events = try await store.events(of: app.id, last: EventLog.capacity)
        return EventLog(epoch: store.epoch, events: events, sequence: sequence)
    }

    /// Returns the view of a channel at a past or future instant, with the current device lists, host builds and
    /// settings.
    ///
    /// A future view assumes that no operator makes a change and that all releases stay healthy. Throws
    /// `channelNotFound`.
    ///
    /// - Returns: The view, and whether its instant lies ahead.
    package func view(
        of channel: ChannelName, of app: LiveApp, asOf instant: Timestamp
    ) async throws(PlatformError) -> (view: ChannelView, isForecast: Bool) {
        _ = try app.requireView(of: channel)
        let now = clock.now()
        let isForecast = instant > now
        let view = try await explaining.pass { () throws(PlatformError) in
            let stored = try await store.state(of: app.id, asOf: instant)
            let state = isForecast ? stored.stayingHealthy(from: now) : stored
            let audienceCache = AudienceCache(beginningWith: app.audienceCache)
            try await prepare(audienceCache, for: state, at: instant)
            return await work.run {
                ChannelView(
                    of: state, channel: channel, at: instant, audienceCache: audienceCache, permissions: [:], keys: [],
                    legacyKeys: [], dialects: dialects, epoch: store.epoch)
            }
        }
        return (view, isForecast)
    }

    /// A check whether a release is for a device, regardless of releases of higher rank.
    struct AudienceCheck: Sendable {
        let candidate: Candidate
        fileprivate let snapshot: ReleaseSnapshot
        fileprivate let instant: Timestamp

        /// Returns the first rule that rejects the device; `nil` if none does.
        func refusal(of facts: DeviceFacts) -> Refusal? {
            var resolution = Resolution(snapshot, facts: facts, at: instant)
            return resolution.refusal(of: candidate, at: instant)
        }

        /// Returns the time from which the device may download the version; `nil` if it need not wait.
        func downloadAfter(of facts: DeviceFacts) -> Timestamp? {
            guard candidate.release.terms.downloads != nil else { return nil }
            var resolution = Resolution(snapshot, facts: facts, at: instant)
            let current = resolution.decision(for: candidate.release.package).current
            return current?.releaseID == candidate.release.id ? current?.downloadAfter : nil
        }
    }

    /// Prepares the check of a release, stored or not, among the other releases.
    ///
    /// Throws `channelNotFound`, `listNotFound`.
    func audienceCheck(for release: Release, at instant: Timestamp) async throws(PlatformError) -> AudienceCheck {
        let app = try requireApp(release.app)
        _ = try app.requireView(of: release.channel)
        return try await explaining.pass { () throws(PlatformError) in
            let state = try await store.state(of: app.id, at: instant)
            let known = Set(state.deviceLists.map(\.name))
            for list in release.terms.audience.lists where !known.contains(list) {
                throw PlatformError.noDeviceList(list, of: app.id)
            }
            let audienceCache = AudienceCache(beginningWith: app.audienceCache)
            try await prepare(audienceCache, for: state, at: instant, beside: [release])
            let epoch = store.epoch
            return await work.run {
                let view = ChannelView(
                    of: state, channel: release.channel, at: instant, audienceCache: audienceCache, permissions: [:],
                    keys: [],
                    legacyKeys: [], dialects: dialects, epoch: epoch)
                return AudienceCheck(
                    candidate: audienceCache.candidate(release, hasFiles: true), snapshot: view.snapshot,
                    instant: instant)
            }
        }
    }

    /// Returns a snapshot of a channel at an instant with the given releases, which need not be stored.
    ///
    /// - Parameter releases: All releases of one channel.
    func snapshot(
        of releases: [Release], in state: AppState, at instant: Timestamp
    ) async throws(PlatformError) -> ReleaseSnapshot {
        let app = try requireApp(state.app)
        return try await explaining.pass { () throws(PlatformError) in
            let audienceCache = AudienceCache(beginningWith: app.audienceCache)
            try await prepare(audienceCache, for: state, at: instant, beside: releases.filter { !$0.hasEnded })
            return await work.run {
                let packages = Dictionary(grouping: releases, by: \.package).mapValues { own in
                    PackageReleases(own, at: instant) { audienceCache.candidate($0, hasFiles: true) }
                }
                let disabled = state.packages.filter { !$0.isEnabled }.map(\.id)
                return ReleaseSnapshot(packages: packages, disabled: Set(disabled), builds: state.builds)
            }
        }
    }

    private func prepare(
        _ audienceCache: AudienceCache, for state: AppState, at instant: Timestamp, beside more: [Release] = []
    ) async throws(PlatformError) {
        let needed = await work.run {
            var needed = more
            for (_, releases) in state.releases {
                for (_, own) in Dictionary(grouping: releases, by: \.channel) {
                    let (live, hidden) = PackageReleases.considered(own, at: instant)
                    needed += live + hidden
                }
            }
            return needed
        }
        try await audienceCache.prepare(
            for: needed, lists: state.deviceLists, of: state.app, from: store, naming: deviceIDs,
            by: cryptography, on: work)
    }

    private func views(
        of state: AppState, as app: LiveApp, at now: Timestamp
    ) async throws(PlatformError) -> [ChannelName: ChannelView] {
        let keys = try await store.keys(of: state.app)
        let permissions = try await app.permissions.prepare(for: state, keys: keys, by: cryptography, on: work)
        let (inUse, legacy) = (Set(keys.map(\.id)), keys.legacy.map(\.id))
        // A clock that was set back deactivates nothing (semantics.md §2).
        let instant = max(now, state.lastActivation ?? now)
        try await prepare(app.audienceCache, for: state, at: instant)
        let (audienceCache, epoch) = (app.audienceCache, store.epoch)
        return await work.run {
            let views = state.channels.map { channel in
                ChannelView(
                    of: state, channel: channel, at: instant, audienceCache: audienceCache, permissions: permissions,
                    keys: inUse,
                    legacyKeys: legacy, dialects: dialects, epoch: epoch)
            }
            return Dictionary(uniqueKeysWithValues: views.map { ($0.channel, $0) })
        }
    }

    /// Throws `storageFailed` if a stored package has a dialect that this server lacks.
    ///
    /// Checked when an app is loaded: later changes turn on only dialects of the list.
    private func requireKnownDialects(of packages: [Package]) throws(PlatformError) {
        for package in packages {
            for dialect in package.dialects.sorted() {
                guard let refusal = dialects.refusal(of: dialect, on: package.id, of: package.app) else { continue }
                throw PlatformError(.storageFailed, refusal)
            }
        }
    }
}
