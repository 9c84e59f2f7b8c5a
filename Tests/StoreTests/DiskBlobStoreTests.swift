import Domain
import Glibc
import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct DiskBlobStoreTests {
    @Test func `a committed blob can be read, in its shard`() throws {
        let store = try DiskBlobStore(directory: ScratchDirectory.path)
        let staging = try store.stage()
        let digest = try Fixture.digest(1)
        try staging.addBlob([1, 2, 3], as: digest)
        #expect(try store.open(digest) == nil)
        try staging.commit()
        #expect(try store.open(digest)?.contents() == [1, 2, 3])
        #expect(access("\(ScratchDirectory.path)/blobs/00/\(digest.hex)", F_OK) == 0)
        #expect(staging.records == [BlobRecord(digest: digest, size: 3)])
    }
}
