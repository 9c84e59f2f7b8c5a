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
        case failed(PlatformError)
    }

    /// The pauses between attempts to connect.
    private static let firstPause: Duration = .milliseconds(100)
    private static let longestPause: Duration = .seconds(2)
    /// The time for which an app may lack changes before the state counts as outdated.
    private static let loadingPatience: Duration = .seconds(5)

    private let feed: any ChangeFeed
    private let live: LiveApps
    private let tokens: TokenAuthority
    private let blobs: any BlobStore
    private let contact: StoreContact
    private let schema: Int64
    private let connected = Atomic(false)

    /// - Parameter schema: The number of the newest migration at the start.
    package init(
        feed: any ChangeFeed, schema: Int64, live: LiveApps, tokens: TokenAuthority, blobs: any BlobStore,
        contact: StoreContact
    ) {
        self.feed = feed
        self.schema = schema
        self.live = live
        self.tokens = tokens
        self.blobs = blobs
        self.contact = contact
    }

    /// Whether changes of other nodes arrive.
    package var isConnected: Bool { connected.load(ordering: .relaxed) }

    /// Follows the changes until cancelled.
    package func run(report: @escaping @Sendable (Event) -> Void) async {
        var last: StoreFacts?
        var lastCurrent = ContinuousClock.now
        var pause = Self.firstPause
        while !Task.isCancelled {
            do throws(PlatformError) {
                let facts = try await next()
                guard !Task.isCancelled else { return }
                if !connected.exchange(true, ordering: .relaxed) { report(.connected) }
                pause = Self.firstPause
                // Changes may arrive and not be loaded, if the connection of the store fails.
                if live.isCurrent { lastCurrent = .now }
                let isCurrent = ContinuousClock.now - lastCurrent < Self.loadingPatience
                await apply(facts, after: last, isCurrent: isCurrent, report: report)
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

    private func apply(
        _ facts: StoreFacts, after last: StoreFacts?, isCurrent: Bool, report: (Event) -> Void
    ) async {
        tokens.follow(revocations: facts.revokedTokens, asOf: facts.instant)
        // The transactions of an outdated node fail.
        guard facts.schema == schema else {
            contact.lose()
            if last?.schema != facts.schema { report(.outdated(schema: facts.schema)) }
            return
        }
        if facts.apps != last?.apps { blobs.forgetAbsences() }
        let failures = await live.follow(facts.apps)
        if failures.isEmpty, isCurrent { contact.confirm() } else if !isCurrent { contact.lose() }
        for failure in failures { report(.failed(failure)) }
    }
}
