import Domain
import Execution
import Synchronization

/// A cache of the device lists and position tables that an app's releases need.
///
/// Only the changes of one app, which are serialized, modify it; a failed change may leave superfluous entries.
final class AudienceCache: Sendable {
    private struct State {
        var tables: [Salt: PositionTable] = [:]
        var lists: [DeviceListName: (revision: Int64, devices: DeviceSet)] = [:]
    }

    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    /// Copies the entries of another cache, which need not be read or computed again.
    init(beginningWith other: AudienceCache) {
        let held = other.state.withLock { $0 }
        state = Mutex(held)
    }

    /// Loads the lists and tables that these releases need, and drops the others.
    func prepare(
        for releases: [Release], lists known: [DeviceListSummary], of app: AppID, from store: any DeviceListStore,
        naming deviceIDs: DeviceIDs, by cryptography: any Cryptography, on work: WorkExecutor
    ) async throws(PlatformError) {
        let salts = Set(releases.filter(\.needsPositions).map(\.terms.salt))
        let names = Set(releases.flatMap(\.terms.audience.lists))
        let (tables, lists) = state.withLock { ($0.tables, $0.lists) }
        var kept = State()
        for summary in known where names.contains(summary.name) {
            if let list = lists[summary.name], list.revision == summary.revision {
                kept.lists[summary.name] = list
            } else if let devices = try await store.devices(on: summary.name, of: app) {
                kept.lists[summary.name] = (summary.revision, await work.run { deviceIDs.listed(devices) })
            }
        }
        kept.tables = tables.filter { salts.contains($0.key) }
        let missing = salts.subtracting(kept.tables.keys)
        if !missing.isEmpty {
            let made = try await work.run { () throws(PlatformError) in
                missing.map { ($0, PositionTable(of: $0, by: cryptography)) }
            }
            kept.tables.merge(made) { $1 }
        }
        state.withLock { [kept] in $0 = kept }
    }

    /// Returns a release with the lists and tables that its rules need, which ``prepare`` has loaded.
    func candidate(_ release: Release, hasFiles: Bool) -> Candidate {
        state.withLock { state in
            let audience = release.terms.audience
            return Candidate(
                release, positions: release.needsPositions ? state.tables[release.terms.salt] : nil,
                whitelist: audience.whitelist.flatMap { state.lists[$0]?.devices },
                excluded: audience.excluded.flatMap { state.lists[$0]?.devices }, hasFiles: hasFiles)
        }
    }
}
