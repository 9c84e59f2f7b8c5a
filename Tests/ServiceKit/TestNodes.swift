import API
package import Domain
import Execution
import Platform
package import Store
import TestKit
import Wiring

/// Two servers of one installation in one process: one database of PostgreSQL, and one store of blobs.
///
/// The services that bring a server up to date run, but not the background work.
package struct TestNodes: Sendable {
    package let one: TestService
    package let two: TestService
    /// The database, for further connections.
    package let address: PostgreSQLAddress

    /// Runs a test with two servers.
    ///
    /// - Parameters:
    ///   - isFollowing: Whether each server is told what the other has changed.
    ///   - retention: The policy of the pruners.
    ///   - makeBlobs: Returns the blob store of a server with its name and its metadata; by default, both use one folder.
    package static func run(
        isFollowing: Bool = true, retention: RetentionPolicy = .standard,
        makeBlobs: (@Sendable (_ name: String, SQLStore) throws -> any BlobStore)? = nil,
        _ body: @Sendable (TestNodes) async throws -> Void
    ) async throws {
        let cluster = try PostgresCluster.shared.get()
        let name = try cluster.makeDatabase(from: "nodes") { url in
            _ = try SQLStore(opening: .postgreSQL(parsed(url)))
        }
        defer { cluster.discard(name) }
        let address = try parsed(cluster.url(of: name))
        let clock = ManualClock()
        let shared = makeBlobs == nil ? try SharedFolder() : nil
        func service(_ name: String) async throws -> TestService {
            let store = try SQLStore(opening: .postgreSQL(address.with(.shared)))
            return try await TestService(
                clock: clock, store: HookedStore(store), blobs: try makeBlobs?(name, store) ?? shared?.blobs,
                retention: retention, nodes: try NodeAdapters(store, at: address.with(.shared)))
        }
        let nodes = TestNodes(one: try await service("one"), two: try await service("two"), address: address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in [nodes.one, nodes.two] where isFollowing { group.addTask { await service.follow() } }
            try await body(nodes)
            group.cancelAll()
        }
    }

    /// The folder of the blobs, which both servers use as they would use a bucket.
    private struct SharedFolder {
        let blobs: DiskBlobStore

        init() throws { blobs = try DiskBlobStore(directory: ScratchDirectory.path) }
    }

    private struct MalformedURL: Error {}

    private static func parsed(_ url: String) throws -> PostgreSQLAddress {
        guard let address = PostgreSQLAddress(url) else { throw MalformedURL() }
        return address
    }

    /// Waits until a condition is true; returns `false` after ten seconds.
    package static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while try await !condition() {
            guard ContinuousClock.now < end else { return false }
            await AsyncFlag().wait(upTo: .milliseconds(2))
        }
        return true
    }
}

extension TestService {
    /// Brings the service up to date with other servers until cancelled.
    fileprivate func follow() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.live.runActivations { self.log.write("test.failed", ["cause": "\($0)"]) } }
            group.addTask {
                await self.services.nodes?.follower.run { self.log.write("test.event", ["what": "\($0)"]) }
            }
        }
    }
}
