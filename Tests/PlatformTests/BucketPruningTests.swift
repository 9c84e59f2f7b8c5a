import Artifacts
import Domain
import Glibc
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing
import Transport

/// Tests a pruner and a publisher on two servers that share a bucket, and want to remove and to keep the same blob.
@Suite(.scratchDirectory, .ownThread, .timeLimit(.minutes(5)))
struct BucketPruningTests {
    private static let graceHours = 24
    /// The content of a file that the removed version and a new one have.
    private static let common = "common to two versions"
    private static let commonDigest = OpenSSLCryptography().sha256(Array(common.utf8))

    /// The step of a removal at which the other server publishes.
    enum Moment: CaseIterable {
        case beforeForgetting, beforeRemoving, beforeCommit
    }

    private static func blobs(
        _ name: String, on server: S3Server, epoch: String, removals: SQLStore?
    ) throws -> RemoteBlobStore {
        let credentials = try #require(S3Credentials(accessKey: S3Server.accessKey, secretKey: S3Server.secretKey))
        let start = ContinuousClock.now
        // The bucket checks the date of each request.
        let timing = S3Timing.system(now: { Timestamp(milliseconds: Int64(time(nil)) * 1000) })
        let client = S3Client(
            try S3Address("s3://\(S3Server.bucket)/p", endpoint: server.endpoint, region: "", isPathStyle: true),
            credentials: credentials, http: HTTPClient(timeouts: S3Client.timeouts, keptHandles: S3Client.concurrency),
            cryptography: OpenSSLCryptography(), timing: timing, log: RecordingLog())
        return try RemoteBlobStore(
            client, epoch: epoch, prefix: .new, cache: "\(ScratchDirectory.path)/\(name)", capacity: 1 << 20,
            elapsed: { ContinuousClock.now - start }, removals: removals, log: RecordingLog())
    }

    private func run(_ body: @escaping @Sendable (TestNodes, S3Server) async throws -> Void) async throws {
        let server = try S3Server()
        let retention = try #require(RetentionPolicy(keepVersions: 1, graceHours: Self.graceHours))
        try await TestNodes.run(
            isFollowing: false, retention: retention,
            makeBlobs: { name, store in
                try Self.blobs(name, on: server, epoch: store.epoch, removals: store)
            },
            { nodes in try await body(nodes, server) })
    }

    /// Publishes a version with the common file, and lets the grace period pass in which the pruner keeps it.
    private func publishOutdated(_ version: String, on nodes: TestNodes) async throws {
        try await nodes.one.publish(version, ["index.html": "outdated \(version)", "a.txt": Self.common])
        try await nodes.one.publish("\(version)-next", ["index.html": "next to \(version)"])
        try await nodes.one.release("\(version)-next")
        _ = try await nodes.one.pruner.prune(by: .server)
        nodes.one.clock.advance(milliseconds: Int64(Self.graceHours) * 3_600_000)
    }

    /// Publishes a version with the common file on the second server; returns whether it was accepted.
    private func publish(_ version: String, on nodes: TestNodes) async throws -> Bool {
        do {
            try await nodes.two.publish(version, ["index.html": "new \(version)", "a.txt": Self.common])
            return true
        } catch let error as PlatformError {
            #expect(error.code == .busy && error.message.contains("removed a file of this version"))
            return false
        }
    }

    /// Checks that the bucket has every blob of the metadata, by a server with an empty cache.
    private func expectWhole(_ nodes: TestNodes, _ server: S3Server, cache: String) async throws {
        let fresh = try Self.blobs(cache, on: server, epoch: nodes.one.store.epoch, removals: nil)
        for digest in try await nodes.two.store.blobs() {
            #expect(try fresh.open(digest) != nil, "\(digest.hex) is missing")
        }
    }

    @Test(arguments: Moment.allCases)
    func `a blob that one server removes and another one publishes is kept, or refused and uploaded again`(
        moment: Moment
    ) async throws {
        try await run { nodes, server in
            try await publishOutdated("1.0.0", on: nodes)
            let accepted = Shared<[Bool]>([])
            let publishing: HookedStore.Hook = { () throws(PlatformError) in
                // The pruner goes through all blobs: waits until it reaches the common one.
                let isForgotten = try await !nodes.one.store.blobs().contains(Self.commonDigest)
                guard accepted.value.isEmpty, isForgotten == (moment == .beforeRemoving) else { return }
                accepted.change { $0.append(false) }
                let isAccepted = (try? await publish("3.0.0", on: nodes)) ?? false
                accepted.change { $0 = [isAccepted] }
            }
            switch moment {
            case .beforeForgetting:
                nodes.one.store.setBefore(.forgetBlobs, publishing)
                _ = try await nodes.one.pruner.prune(by: .server)
            case .beforeRemoving:
                nodes.one.store.setAfter(.forgetBlobs, publishing)
                _ = try await nodes.one.pruner.prune(by: .server)
            case .beforeCommit:
                // The version is removed already; its blobs follow while the other server commits.
                let door = Door()
                nodes.one.store.setBefore(.forgetBlobs) { await door.pass() }
                let pruning = Task { try await nodes.one.pruner.prune(by: .server) }
                #expect(try await TestNodes.eventually { door.held == 1 })
                nodes.two.store.setBefore(.publish) {
                    door.open()
                    _ = await pruning.result
                }
                let isAccepted = try await publish("3.0.0", on: nodes)
                accepted.change { $0 = [isAccepted] }
                nodes.two.store.setBefore(.publish, nil)
                #expect(try await pruning.value.blobs > 0)
            }
            #expect(accepted.value == [moment == .beforeForgetting])
            if moment != .beforeForgetting { #expect(try await publish("3.0.0", on: nodes)) }
            #expect(try await nodes.two.store.blobs().contains(Self.commonDigest))
            try await expectWhole(nodes, server, cache: "fresh")
        }
    }

    @Test func `whatever a pruner and a publisher do at once, no published version lacks a blob`() async throws {
        try await run { nodes, server in
            for round in 0..<3 {
                try await publishOutdated("1.0.\(round)", on: nodes)
                async let pruned = nodes.one.pruner.prune(by: .server)
                let isAccepted = try await publish("3.0.\(round)", on: nodes)
                #expect(try await pruned.failures.isEmpty)
                if !isAccepted { #expect(try await publish("3.0.\(round)", on: nodes)) }
                try await expectWhole(nodes, server, cache: "fresh\(round)")
            }
        }
    }
}
