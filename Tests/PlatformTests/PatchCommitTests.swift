import Domain
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests that the patches of several packages reach the store of blobs together.
@Suite(.scratchDirectory, .timeLimit(.minutes(5)))
struct PatchCommitTests {
    @Test func `the patches of a release set are stored in one commit, before the set is made`() async throws {
        let blobs = CountingBlobs(try DiskBlobStore(directory: ScratchDirectory.path))
        let service = try await TestService(blobs: blobs)
        let terms = ReleaseTerms(salt: .random(by: service.cryptography))
        var drafts: [ReleaseDraft] = []
        for id in ["news", "shop", "wiki"] {
            try await service.ship("1.0.0", of: id)
            try await service.publishSample("2.0.0", of: id)
            drafts.append(
                ReleaseDraft(
                    app: .default, package: try #require(PackageID(id)), channel: .production,
                    version: try #require(VersionString("2.0.0")), terms: terms, activeTime: nil))
        }
        blobs.commits.change { $0 = [] }
        let atRelease = Shared<[Int]>([])
        service.store.setBefore(.makeRelease) { atRelease.change { $0 = blobs.commits.value } }
        _ = try await service.releaser.release(ReleaseRequest(setOf: drafts), by: .server)
        let counts = blobs.commits.value
        // Each package has an archive of its changed files; delta patches may be equal.
        #expect(counts.count == 1 && counts.reduce(0, +) > drafts.count, "\(counts)")
        #expect(atRelease.value == counts)
    }
}

/// A store of blobs that counts the blobs of each commit.
private final class CountingBlobs: BlobStore {
    private let base: DiskBlobStore
    let commits = Shared<[Int]>([])

    init(_ base: DiskBlobStore) { self.base = base }

    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? { try base.open(digest) }
    func stage() throws(PlatformError) -> any BlobStaging { CountingStaging(try base.stage(), commits) }
    func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int { try base.sweep(keeping: known) }
    func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> { base.condemn(digests) }
    func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit? { try base.permitRemoval(at: now) }
    func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try base.removeCondemned(digests)
    }
}

private final class CountingStaging: BlobStaging {
    private let base: any BlobStaging
    private let commits: Shared<[Int]>

    init(_ base: any BlobStaging, _ commits: Shared<[Int]>) {
        self.base = base
        self.commits = commits
    }

    var records: [BlobRecord] { base.records }
    func newBlob() throws(PlatformError) -> any BlobFile { try base.newBlob() }
    func newScratch() throws(PlatformError) -> any BlobFile { try base.newScratch() }
    func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? { try base.open(digest) }
    func commit() throws(PlatformError) {
        try base.commit()
        commits.change { $0.append(base.records.count) }
    }
    func discard() { base.discard() }
}
