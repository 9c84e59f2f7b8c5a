import Domain

/// The instant up to which the views of an app have everything that the store had.
///
/// The views are current up to the reading before the oldest one that is not loaded. While changes arrive faster than
/// they are loaded, the views never have the revision that was read last.
struct LoadingProgress {
    /// A revision that the store had.
    struct Reading {
        let revision: AppRevision
        /// An instant before the reading.
        let instant: ContinuousClock.Instant
    }

    /// The latest instant at which the store is known to have had nothing that the views lack.
    private(set) var current: ContinuousClock.Instant
    /// The last reading; `nil` before the first.
    private(set) var read: Reading?
    /// The oldest reading that the views lack.
    private var awaited: Reading?
    /// The instant at which the views were loaded.
    private var loadedAt: ContinuousClock.Instant

    init(asOf begin: ContinuousClock.Instant) {
        current = begin
        loadedAt = begin
    }

    /// Notes a reading; returns whether the store has lost commits of the views.
    ///
    /// - Parameter loaded: The revision of the views.
    mutating func note(
        _ revision: AppRevision, asOf instant: ContinuousClock.Instant, loaded: AppRevision
    ) -> Bool {
        let reading = Reading(revision: revision, instant: instant)
        read = reading
        if let awaited, instant > awaited.instant, revision.isBehind(awaited.revision) {
            // The store has lost the awaited commit, so it will never be loaded.
            self.awaited = Reading(revision: revision, instant: awaited.instant)
        }
        advance(to: loaded)
        return instant > loadedAt && revision.isBehind(loaded)
    }

    /// Notes that the views of a revision were loaded.
    mutating func noteLoaded(_ revision: AppRevision, at now: ContinuousClock.Instant = .now) {
        loadedAt = now
        advance(to: revision)
    }

    private mutating func advance(to loaded: AppRevision) {
        if let awaited, includes(awaited, loaded) {
            current = max(current, awaited.instant)
            self.awaited = nil
        }
        guard awaited == nil, let read, read.instant > current else { return }
        if includes(read, loaded) { current = read.instant } else { awaited = read }
    }

    /// Whether the loaded views include every change of a reading.
    ///
    /// If they are later than a reading that came after them, the store has lost commits.
    private func includes(_ reading: Reading, _ loaded: AppRevision) -> Bool {
        loaded == reading.revision || (!loaded.isBehind(reading.revision) && reading.instant <= loadedAt)
    }
}
