import Domain
import FoundationEssentials
import Store
import TestKit
import Testing

/// Tests concurrent publishing and removal of the same blobs.
@Suite(.scratchDirectory)
struct BlobRemovalTests {
    private var root: String { ScratchDirectory.path }

    private func stored(_ number: Int, in store: DiskBlobStore) throws -> SHA256Digest {
        let digest = try Fixture.digest(number)
        let staging = try store.stage()
        try staging.addBlob([1], as: digest)
        try staging.commit()
        return digest
    }

    @Test func `a condemned blob is removed, once, and no other`() throws {
        let store = try DiskBlobStore(directory: root)
        let (one, other) = (try stored(1, in: store), try stored(2, in: store))
        #expect(store.condemn([one]) == [one])
        #expect(try store.removeCondemned([one, other]) == 1)
        #expect(try store.open(one) == nil)
        #expect(try store.open(other)?.contents() == [1])
        #expect(try store.removeCondemned([one, other]) == 0)
    }

    @Test func `a blob that a staging found is not condemned before the staging lets go`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try stored(1, in: store)
        let (first, second) = (try store.stage(), try store.stage())
        try first.addBlob([1], as: digest)
        try first.addBlob([1], as: digest)
        try second.addBlob([1], as: digest)
        #expect(store.condemn([digest]) == [])
        first.discard()
        first.discard()
        #expect(store.condemn([digest]) == [])
        second.discard()
        #expect(store.condemn([digest]) == [digest])
    }

    @Test func `a staging that finds a condemned blob saves it`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try stored(1, in: store)
        #expect(store.condemn([digest]) == [digest])
        let staging = try store.stage()
        try staging.addBlob([1], as: digest)
        #expect(try store.removeCondemned([digest]) == 0)
        try staging.commit()
        #expect(try store.open(digest)?.contents() == [1])
    }

    @Test func `a staging that comes after the removal stores the blob again`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try stored(1, in: store)
        _ = store.condemn([digest])
        #expect(try store.removeCondemned([digest]) == 1)
        let staging = try store.stage()
        try staging.addBlob([1], as: digest)
        try staging.commit()
        #expect(try store.open(digest)?.contents() == [1])
    }

    @Test func `a staging that is dropped lets go`() throws {
        let store = try DiskBlobStore(directory: root)
        let digest = try stored(1, in: store)
        do {
            let staging = try store.stage()
            try staging.addBlob([1], as: digest)
            #expect(store.condemn([digest]) == [])
        }
        #expect(store.condemn([digest]) == [digest])
    }
}
