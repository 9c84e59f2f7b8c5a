package import Domain
import Execution
import Glibc

/// A second session with PostgreSQL that waits for the changes of other nodes (decision 0064).
///
/// An actor on a thread of its own, since waiting blocks. Notifications only shorten the wait: each time, the facts are
/// read from the tables.
package actor DatabaseWatch: ChangeFeed {
    /// The longest time without reading the facts.
    package static let longestWait: Duration = .seconds(2)
    /// The limit for one statement.
    private static let statementLimit: Duration = .seconds(5)

    private let address: PostgreSQLAddress
    private let timelines: LatestTimeline
    private var primary: PrimarySession?
    private nonisolated let bell: WakingSocket
    private nonisolated let executor = SerialWorkExecutor(label: "larder.watch")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects at the first call of ``next()``.
    ///
    /// - Parameter store: The store whose sessions use the same servers: no session stays with a former primary once
    ///   another one has found its successor.
    package init(_ address: PostgreSQLAddress, beside store: SQLStore) throws(PlatformError) {
        self.address = address.with(.reader)
        timelines = store.timelines ?? LatestTimeline()
        bell = try WakingSocket()
    }

    package func next() throws(PlatformError) -> StoreFacts {
        do throws(DatabaseError) {
            do throws(DatabaseError) {
                if let primary {
                    try primary.session.waitForNotification(orInputFrom: bell.reader, upTo: Self.longestWait)
                    let facts = try facts(from: primary.session)
                    try primary.requireLatest(timelines)
                    return facts
                }
                let primary = try PrimarySession(of: address, timelines)
                // Before the facts are read, so that no later change goes unnoticed.
                _ = try primary.session.send("LISTEN larder", within: Self.statementLimit)
                let facts = try facts(from: primary.session)
                try primary.requireLatest(timelines)
                self.primary = primary
                return facts
            } catch {
                primary = nil
                throw error
            }
        } catch {
            throw PlatformError(storing: error)
        }
    }

    package nonisolated func stop() { bell.ring() }

    private func facts(from session: PostgreSQLSession) throws(DatabaseError) -> StoreFacts {
        let instant = ContinuousClock.now
        let limit = Self.statementLimit
        var apps: [AppID: AppRevision] = [:]
        let rows = try session.run("SELECT id, config_version, sequence FROM apps", within: limit)
        for index in 0..<rows.count {
            let row = Row(PostgreSQLRow(index, of: rows))
            apps[try row[0]] = AppRevision(configVersion: try row[1], sequence: try row[2])
        }
        let numbers = try session.run(
            """
            SELECT (
                    -- Rows of CI jobs are deleted only beside the insertion of another one, so equal numbers mean that no
                    -- token has changed.
                    SELECT coalesce(max(id), 0) * 4294967296 + coalesce(sum(revision), 0)::bigint % 4294967296
                    FROM tokens
                ), (SELECT max(number) FROM migrations),
                to_regclass('larder_move') IS NOT NULL
            """, within: limit)
        guard numbers.count == 1 else { throw .unmet("the facts have no row", statement: "facts") }
        let row = Row(PostgreSQLRow(0, of: numbers))
        return StoreFacts(
            apps: apps, tokenChanges: try row[0], schema: try row[1], isMoved: try row[2], instant: instant)
    }
}

/// A pair of sockets that ends a wait of `poll` from another thread, and every later one.
private final class WakingSocket: Sendable {
    let reader: Int32
    private let writer: Int32

    init() throws(PlatformError) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw PlatformError(.storageFailed, "The system has no socket left.", cause: "socketpair: errno \(errno)")
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// The byte is never read, so that later waits end as well.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }
}
