package import Domain
import Execution
import Synchronization

/// The service that brings the memory of this node up to date with what other nodes have committed (decision 0064).
package final class ChangeFollower: Sendable {
    /// A change that operators may want to know.
    package enum Event: Sendable {
        case connected
        case lost(PlatformError)
        /// A newer node has migrated the database: this node keeps its memory.
        case outdated(schema: Int64)
        /// The data were moved to another database: this node keeps its memory.
        case moved
        case failed(PlatformError)
    }

    /// The pauses between attempts to connect.
    private static let firstPause: Duration = .milliseconds(100)
    private static let longestPause: Duration = .seconds(2)
    /// The time for which the state may lack changes before it counts as outdated.
    package static let loadingPatience: Duration = .seconds(5)
    /// The time between two checks of the age of the state.
    private static let ageInterval: Duration = .milliseconds(250)

    private let feed: any ChangeFeed
    private let live: LiveApps
    private let tokens: TokenAuthority
    private let blobs: any BlobStore
    private let contact: StoreContact
    private let schema: Int64
    private let loadingPatience: Duration
    private let connected = Atomic(false)

    /// - Parameter schema: The number of the newest migration at the start.
    package init(
        feed: any ChangeFeed, schema: Int64, live: LiveApps, tokens: TokenAuthority, blobs: any BlobStore,
        contact: StoreContact, loadingPatience: Duration = loadingPatience
    ) {
        self.feed = feed
        self.schema = schema
        self.live = live
        self.tokens = tokens
        self.blobs = blobs
        self.contact = contact
        self.loadingPatience = loadingPatience
    }

    /// Whether changes of other nodes arrive.
    package var isConnected: Bool { connected.load(ordering: .relaxed) }

    /// Follows the changes until cancelled.
    package func run(report: @escaping @Sendable (Event) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.live.runLoading { report(.failed($0)) } }
            group.addTask { await self.watchAge() }
            await follow(report: report)
            group.cancelAll()
        }
    }

    /// Ends the contact once the state is too old: a reading may take as long as a statement of the database.
    private func watchAge() async {
        while !Task.isCancelled {
            await AsyncFlag().wait(upTo: Self.ageInterval)
            if contact.unconfirmed > loadingPatience { contact.lose() }
        }
    }

    private func follow(report: @Sendable (Event) -> Void) async {
        var last: StoreFacts?
        var pause = Self.firstPause
        while !Task.isCancelled {
            do throws(PlatformError) {
                let facts = try await next()
                guard !Task.isCancelled else { return }
                if !connected.exchange(true, ordering: .relaxed) { report(.connected) }
                pause = Self.firstPause
                apply(facts, after: last, report: report)
                last = facts
            } catch {
                guard !Task.isCancelled else { return }
                contact.lose()
                if connected.exchange(false, ordering: .relaxed) || last == nil { report(.lost(error)) }
                await AsyncFlag().wait(upTo: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    private func next() async throws(PlatformError) -> StoreFacts {
        let outcome: Result<StoreFacts, PlatformError> = await withTaskCancellationHandler {
            do throws(PlatformError) { return .success(try await feed.next()) } catch { return .failure(error) }
        } onCancel: {
            feed.stop()
        }
        return try outcome.get()
    }

    private func apply(_ facts: StoreFacts, after last: StoreFacts?, report: (Event) -> Void) {
        // The other database has the later revocations.
        guard !facts.isMoved else {
            contact.lose()
            if last?.isMoved != true { report(.moved) }
            return
        }
        tokens.follow(changes: facts.tokenChanges, asOf: facts.instant)
        // The transactions of an outdated node fail.
        guard facts.schema == schema else {
            contact.lose()
            if last?.schema != facts.schema { report(.outdated(schema: facts.schema)) }
            return
        }
        if facts.apps != last?.apps { blobs.forgetAbsences() }
        // Changes may arrive and not be loaded, if the connection of the store fails.
        let current = live.follow(facts.apps, asOf: facts.instant)
        if ContinuousClock.now - current > loadingPatience { contact.lose() } else { contact.confirm(asOf: current) }
    }
}
