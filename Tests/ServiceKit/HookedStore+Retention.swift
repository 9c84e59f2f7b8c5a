package import Domain
package import Ground

extension HookedStore {
    package func advanceRetentionClock(to now: Timestamp, counting most: Int64) async throws(PlatformError) {
        try await base.advanceRetentionClock(to: now, counting: most)
    }

    package func noteNamed(_ blobs: Set<SHA256Digest>, of app: AppID) async throws(PlatformError) {
        try await hooked(.noteNamed) { () throws(PlatformError) in try await base.noteNamed(blobs, of: app) }
    }

    package func noteUnnamed(
        except named: Set<SHA256Digest>, of app: AppID, at instant: Timestamp
    ) async throws(PlatformError) {
        try await base.noteUnnamed(except: named, of: app, at: instant)
    }

    package func retentionFacts(
        of package: PackageID, in app: AppID
    ) async throws(PlatformError) -> RetentionFacts {
        try await base.retentionFacts(of: package, in: app)
    }

    package func forget(_ removal: Removal, at now: Timestamp, audit: AuditEntry) async throws(PlatformError) {
        try await hooked(.forget) { () throws(PlatformError) in
            try await base.forget(removal, at: now, audit: audit)
        }
    }

    package func unreferencedBlobs(
        in shard: UInt8, disregarding removal: Removal
    ) async throws(PlatformError) -> [BlobRecord] {
        try await base.unreferencedBlobs(in: shard, disregarding: removal)
    }

    package func forgetBlobs(
        in shard: UInt8, upTo count: Int, condemning: @Sendable (Set<SHA256Digest>) -> Set<SHA256Digest>
    ) async throws(PlatformError) -> [BlobRecord] {
        try await hooked(.forgetBlobs) { () throws(PlatformError) in
            try await base.forgetBlobs(in: shard, upTo: count, condemning: condemning)
        }
    }
}
