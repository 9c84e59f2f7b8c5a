import Artifacts
import Domain
import FoundationEssentials
import Ground
import Synchronization
import TestKit
import Testing

@testable import Store

/// Tests the transfer of blobs between a folder and a real bucket.
@Suite(.scratchDirectory)
struct BucketTransferTests {
    private let server: S3Server
    private let contents: [[UInt8]] = [[], Array("a".utf8), Array("bc".utf8), Array(repeating: 7, count: 300_000)]
    private var records: [BlobRecord] { contents.map { BlobRecord(digest: .of($0), size: $0.count) } }

    init() throws { server = try S3Server() }

    private func root(_ name: String) -> String { "\(ScratchDirectory.path)/\(name)" }

    private func makeStore(_ name: String, _ contents: [[UInt8]] = []) throws -> DiskBlobStore {
        try FileManager.default.createDirectory(atPath: root(name), withIntermediateDirectories: true)
        let store = try DiskBlobStore(directory: root(name))
        let staging = try store.stage()
        defer { staging.discard() }
        for bytes in contents { try staging.addBlob(bytes, as: .of(bytes)) }
        try staging.commit()
        return store
    }

    private func transfer(
        _ name: String, _ progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) throws -> BucketTransfer {
        BucketTransfer(
            client: try bucketClient(server.endpoint, prefix: "p"), folders: BlobFolders(root: root(name)),
            cryptography: OpenSSLCryptography(),
            hash: { (descriptor, size) throws(PlatformError) in try SHA256Hasher.digest(of: descriptor, size: size) },
            progress: MoveProgress(upTo: records.reduce(0) { $0 + $1.size }, progress))
    }

    private func path(_ record: BlobRecord, in name: String) -> String {
        BlobFolders(root: root(name)).path(of: record.digest)
    }

    private func bytes(_ record: BlobRecord, in name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(record, in: name))))
    }

    @Test func `blobs go to the bucket and come back, each once`() throws {
        _ = try makeStore("source", contents)
        let done = Mutex(0)
        let all = contents.reduce(0) { $0 + $1.count }
        let uploaded = try transfer("source") { sum, _ in done.withLock { $0 = max($0, sum) } }.upload(records)
        #expect(uploaded.copiedBlobs == 4 && uploaded.copiedBytes == all && uploaded.faults == [])
        #expect(done.withLock { $0 } == all)
        _ = try server.takeCounts()
        #expect(try transfer("source").upload(records).copiedBlobs == 0)
        #expect(try server.takeCounts()["PUT"] == nil)

        let store = try makeStore("target", [contents[1]])
        let downloaded = try transfer("target").download(records, into: store)
        #expect(downloaded.copiedBlobs == 3 && downloaded.copiedBytes == all - 1 && downloaded.faults == [])
        for (record, content) in zip(records, contents) { #expect(try bytes(record, in: "target") == content) }
        _ = try server.takeCounts()
        #expect(try transfer("target").download(records, into: store).copiedBlobs == 0)
        #expect(try server.takeCounts()["GET"] == nil)
    }

    @Test func `missing and damaged files are faults, and no other bytes are uploaded`() throws {
        _ = try makeStore("source", contents)
        try FileManager.default.removeItem(atPath: path(records[1], in: "source"))
        try Data("xy".utf8).write(to: URL(filePath: path(records[2], in: "source")))
        try Data("short".utf8).write(to: URL(filePath: path(records[3], in: "source")))
        let outcome = try transfer("source").upload(records)
        let codes = Dictionary(uniqueKeysWithValues: outcome.faults.map { ($0.subject, $0.code) })
        #expect(
            codes == [
                records[1].digest.hex: .blobMissing, records[2].digest.hex: .blobDamaged,
                records[3].digest.hex: .blobSize,
            ])
        #expect(outcome.copiedBlobs == 1)
        let client = try bucketClient(server.endpoint, prefix: "p")
        #expect(try client.head(client.address.key(of: records[2].digest)) == nil)
    }

    @Test func `missing and damaged objects are faults, and become no files`() throws {
        let client = try bucketClient(server.endpoint, prefix: "p")
        for (record, content) in zip(records, [[], nil, Array("xy".utf8), Array("short".utf8)] as [[UInt8]?]) {
            guard let content else { continue }
            let file = root("object")
            try Data(content).write(to: URL(filePath: file))
            try client.put(
                client.address.key(of: record.digest), file: file, size: content.count, digest: .of(content))
        }
        let store = try makeStore("target")
        let outcome = try transfer("target").download(records, into: store)
        let codes = Dictionary(uniqueKeysWithValues: outcome.faults.map { ($0.subject, $0.code) })
        #expect(
            codes == [
                records[1].digest.hex: .blobMissing, records[2].digest.hex: .blobDamaged,
                records[3].digest.hex: .blobSize,
            ])
        #expect(outcome.copiedBlobs == 1)
        for record in records.dropFirst() { #expect(try store.open(record.digest) == nil) }
    }

    @Test func `a bucket that cannot be reached fails the transfer`() throws {
        _ = try makeStore("source", contents)
        try server.goDown()
        let transfer = BucketTransfer(
            client: try bucketClient(server.endpoint, prefix: "p", timing: ManualTiming().timing),
            folders: BlobFolders(root: root("source")), cryptography: OpenSSLCryptography(),
            hash: { (descriptor, size) throws(PlatformError) in try SHA256Hasher.digest(of: descriptor, size: size) },
            progress: MoveProgress(upTo: 1) { _, _ in })
        let error = #expect(throws: PlatformError.self) { try transfer.upload(records) }
        #expect(error?.code == .busy)
    }
}
