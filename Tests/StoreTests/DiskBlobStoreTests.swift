import Domain
import FoundationEssentials
import Glibc
import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct DiskBlobStoreTests {
    private var root: String { ScratchDirectory.path }

    private func entries(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted()
    }

    private func digest(_ byte: UInt8, _ number: Int = 0) throws -> SHA256Digest {
        try #require(SHA256Digest(bytes: [byte] + Fixture.digest(number).bytes.dropFirst()))
    }

    @Test func `a blob can be read once it is committed, in its shard`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        let digest = try digest(0xab)
        try staging.addBlob([1, 2, 3], as: digest)
        #expect(try store.open(digest) == nil)
        #expect(try staging.open(digest)?.contents() == [1, 2, 3])
        try staging.commit()
        #expect(try store.open(digest)?.contents() == [1, 2, 3])
        #expect(try staging.open(digest)?.contents() == [1, 2, 3])
        #expect(try entries("blobs/ab") == [digest.hex])
        #expect(staging.records == [BlobRecord(digest: digest, size: 3)])
    }

    @Test func `a blob in use can be read after it was removed`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try digest(1)
        try stage([digest], in: store)
        let blob = try #require(try store.open(digest))
        #expect(try store.sweep(keeping: []) == 1)
        #expect(blob.contents() == [1])
        #expect(try store.open(digest) == nil)
    }

    @Test func `uncommitted files are removed with the last reference`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try digest(1)
        do {
            let staging = try store.stage()
            try staging.addBlob([1], as: digest)
            try staging.newScratch().write([2])
            #expect(try entries("staging").count == 1)
        }
        #expect(try entries("staging").isEmpty)
        #expect(try store.open(digest) == nil)
    }

    @Test func `uncommitted files are removed when discarded, although the staging is still held`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        try staging.addBlob([1], as: digest(1))
        try staging.commit()
        let scratch = try staging.newScratch()
        try scratch.write([2])
        staging.discard()
        #expect(try entries("staging").isEmpty)
        #expect(try store.open(digest(1))?.contents() == [1])
        #expect(staging.records.count == 1)
        #expect(throws: PlatformError.self) { try staging.newBlob() }
        staging.discard()
    }

    @Test func `a file keeps its staging`() throws {
        let store = try DiskBlobStore(directory: root)
        let file = try store.stage().newScratch()
        try file.write([1, 2])
        #expect(FileManager.default.contents(atPath: file.path) == Data([1, 2]))
    }

    @Test func `an upload is written through and never becomes a blob`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        let upload = try staging.newScratch()
        try upload.write([1, 2])
        try upload.write([])
        try upload.write([3])
        #expect(upload.size == 3)
        #expect(FileManager.default.contents(atPath: upload.path) == Data([1, 2, 3]))
        try upload.finish(as: try digest(1))
        try staging.commit()
        #expect(staging.records.isEmpty)
        #expect(try store.open(try digest(1)) == nil)
    }

    @Test(arguments: [
        [0], [1], [65_535, 1], [65_536], [65_536, 1], [65_537], [1, 65_536, 1], [40_000, 40_000, 200_000],
    ])
    func `parts of any size make up the file`(parts: [Int]) throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        let file = try staging.newBlob()
        var expected: [UInt8] = []
        for part in parts {
            let bytes = (0..<part).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ expected.count) }
            try file.write(bytes)
            expected += bytes
        }
        #expect(file.size == expected.count)
        try file.finish(as: try digest(1))
        #expect(try staging.open(try digest(1))?.contents() == expected)
        try staging.commit()
        #expect(try store.open(try digest(1))?.contents() == expected)
    }

    @Test func `a blob that is staged twice is stored once`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        let digest = try digest(1)
        try staging.addBlob([1], as: digest)
        try staging.addBlob([1], as: digest)
        #expect(staging.records.count == 1)
        try staging.commit()
        #expect(try store.open(digest)?.contents() == [1])
    }

    @Test func `a blob that is there is not stored again, and is still named`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try digest(1)
        try stage([digest], in: store)
        let before = try inode(of: digest)
        let staging = try store.stage()
        try staging.addBlob([1], as: digest)
        #expect(staging.records == [BlobRecord(digest: digest, size: 1)])
        try staging.commit()
        #expect(try inode(of: digest) == before)
    }

    @Test func `a blob that was cut short on the disk is replaced`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try digest(1)
        try stage([digest], in: store)
        try #require(truncate("\(root)/blobs/01/\(digest.hex)", 0) == 0)
        try stage([digest], in: store)
        #expect(try store.open(digest)?.contents() == [1])
    }

    @Test(arguments: [0, 1, 7, 8, 9, 600])
    func `batches of any size become visible whole`(count: Int) throws {
        let store = try DiskBlobStore(directory: root)
        let digests = try (0..<count).map { try digest(UInt8(truncatingIfNeeded: $0), $0) }
        try stage(digests, in: store)
        for digest in digests { #expect(try store.open(digest)?.size == 1) }
        #expect(try entries("staging").isEmpty)
        #expect(try store.sweep(keeping: Set(digests)) == 0)
    }

    @Test func `a staging can be committed again with more`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        try staging.addBlob([1], as: try digest(1))
        try staging.commit()
        try staging.addBlob([2], as: try digest(2))
        try staging.commit()
        #expect(try store.open(try digest(1))?.contents() == [1])
        #expect(try store.open(try digest(2))?.contents() == [2])
    }

    @Test func `publishers of the same blobs do not disturb each other`() async throws {
        let store = try DiskBlobStore(directory: root)
        let digests = try (0..<40).map { try digest(UInt8($0)) }
        for _ in 0..<10 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        try stage(digests, in: store)
                        for digest in digests { #expect(try store.open(digest)?.contents() == [1]) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try store.sweep(keeping: []) == 40)
        }
    }

    @Test func `a start sweeps what a crash left over`() throws {
        let store = try DiskBlobStore(directory: root)
        let known = try digest(1)
        let unknown = try digest(1, 7)
        try stage([known, unknown], in: store)
        try FileManager.default.createDirectory(
            atPath: "\(root)/staging/Xy/deep", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(root)/staging/Xy/deep/1"))
        try Data([1]).write(to: URL(filePath: "\(root)/staging/stray"))
        try #require(symlink("\(root)/blobs", "\(root)/staging/link") == 0)
        try Data([1]).write(to: URL(filePath: "\(root)/blobs/01/README"))

        let restarted = try DiskBlobStore(directory: root)
        #expect(try restarted.sweep(keeping: [known, try digest(9)]) == 1)
        #expect(try restarted.open(known)?.contents() == [1])
        #expect(try restarted.open(unknown) == nil)
        #expect(try entries("staging").isEmpty)
        #expect(try entries("blobs/01") == [known.hex, "README"].sorted())
    }

    @Test func `a sweep is refused while a staging exists`() throws {
        let store = try DiskBlobStore(directory: root)
        do {
            let staging = try store.stage()
            try staging.addBlob([1], as: try digest(1))
            let error = #expect(throws: PlatformError.self) { try store.sweep(keeping: []) }
            #expect(error?.code == .busy)
            try staging.commit()
        }
        #expect(try store.sweep(keeping: []) == 1)
    }

    @Test func `a folder that cannot be written to is an error`() throws {
        let store = try DiskBlobStore(directory: root)
        try FileManager.default.removeItem(atPath: "\(root)/staging")
        let error = #expect(throws: PlatformError.self) { try store.stage() }
        #expect(error?.code == .storageFailed)
        #expect(error?.cause?.contains("creating a folder") == true)
        // A staging that failed to begin does not prevent sweeping.
        _ = try DiskBlobStore(directory: root)
        #expect(try store.sweep(keeping: []) == 0)
    }

    @Test func `a commit that fails makes its blob invisible or whole`() throws {
        let store = try DiskBlobStore(directory: root)
        let staging = try store.stage()
        try staging.addBlob([1], as: try digest(1))
        try FileManager.default.removeItem(atPath: "\(root)/blobs/01")
        let error = #expect(throws: PlatformError.self) { try staging.commit() }
        #expect(error?.code == .storageFailed)
        #expect(error?.cause?.contains("renaming") == true)
    }

    private func inode(of digest: SHA256Digest) throws -> UInt64 {
        let blob = try #require(try DiskBlobStore(directory: root).open(digest))
        var status = stat()
        try #require(fstat(blob.descriptor, &status) == 0)
        return UInt64(status.st_ino)
    }
}

/// Publishes blobs with the single byte 1.
private func stage(_ digests: [SHA256Digest], in store: DiskBlobStore) throws {
    let staging = try store.stage()
    for digest in digests { try staging.addBlob([1], as: digest) }
    try staging.commit()
}
