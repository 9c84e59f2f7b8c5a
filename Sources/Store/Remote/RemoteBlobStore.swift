package import Domain
import Execution
import Files
import Glibc
package import Ground
import Synchronization

/// A store of blobs in a bucket, with a bounded cache on the local disk from which all blobs are sent (decision 0063).
///
/// A commit succeeds once every blob is in the bucket. Reading fetches a blob that is not cached and verifies it.
package final class RemoteBlobStore: BlobStore {
    /// The reason why the bucket is not asked for a blob for some seconds.
    private enum Absence {
        case missing, damaged
    }

    /// The use of the prefix before this start, which determines whether its marker may be missing.
    package enum Prefix: Sendable {
        /// The installation has no blobs: an unused prefix is reserved for it.
        case new
        /// The metadata refer to blobs, and the bucket is used for the first time: it has to have the marker.
        case restored
        /// The bucket was used before: it has to have the marker, and may be unavailable at the start.
        case known
    }

    /// A fetch that all concurrent readers of one blob share; its lock is held while it runs.
    private final class Flight: Sendable {
        let outcome = Mutex<Result<OpenBlob?, S3Error>?>(nil)
    }

    private struct Counts {
        var misses = 0
        var fills = 0
        var missing = SparseLog()
        var busy = SparseLog()
    }

    /// The times at which lines about an event are logged: one a second.
    private struct SparseLog {
        private var silentUntil = Duration.zero
        private var unlogged = 0

        /// Returns the number of lines omitted since the last one, or `nil` if this line is omitted, too.
        mutating func admit(at now: Duration) -> Int? {
            guard now >= silentUntil else {
                unlogged += 1
                return nil
            }
            silentUntil = now + .seconds(1)
            defer { unlogged = 0 }
            return unlogged
        }
    }

    let client: S3Client
    let cache: BlobCache
    package let removals: (any BlobRemovalStore)?
    let delivery: BlobDelivery
    private let epoch: String
    private let elapsed: @Sendable () -> Duration
    private let log: any Log
    private let stagings = StagingCount()
    private let claims = BlobClaims()
    private let flights = Mutex<[SHA256Digest: Flight]>([:])
    private let absences = Mutex(
        Generations<SHA256Digest, (Absence, until: Duration)>(capacity: 2 * RemoteLimits.rememberedAbsences))
    /// The blobs whose objects are damaged: a publishing uploads them again.
    private let damages = Mutex(
        Generations<SHA256Digest, Bool>(capacity: 2 * RemoteLimits.rememberedDamages))
    /// The times until which a deletion without a response may still be carried out.
    private let deletions = Mutex(
        Generations<SHA256Digest, Duration>(capacity: 2 * RemoteLimits.rememberedDeletions))
    /// Whether the marker of the prefix was found since the start.
    private let isVerified = Atomic(false)
    private let counts = Mutex(Counts())
    /// Locks by the first byte of a digest: an object is not looked up for a commit while it is being deleted.
    private let stripes = (0...255).map { _ in Stripe() }

    private final class Stripe: Sendable {
        let lock = Mutex(())
    }

    /// Opens the cache and checks that the prefix belongs to the installation.
    ///
    /// Blocks. If a known prefix cannot be asked now, its marker is checked before the first upload.
    ///
    /// - Parameters:
    ///   - epoch: The identity of the installation.
    ///   - elapsed: A clock that never jumps.
    ///   - removals: The store of the removals by all nodes; `nil` if this server is the only one.
    package init(
        _ client: S3Client, epoch: String, prefix: Prefix, cache path: String, capacity: Int,
        delivery: BlobDelivery = .proxy, elapsed: @escaping @Sendable () -> Duration,
        removals: (any BlobRemovalStore)? = nil, log: any Log
    ) throws(PlatformError) {
        self.client = client
        self.delivery = delivery
        self.removals = removals
        self.epoch = epoch
        self.elapsed = elapsed
        self.log = log
        cache = try BlobCache(path, capacity: capacity)
        let marker = PrefixMarker(client: client, epoch: epoch)
        do throws(PlatformError) {
            if case .new = prefix { try marker.create() } else { try marker.check() }
            try marker.checkRights()
            isVerified.store(true, ordering: .relaxed)
        } catch {
            guard case .known = prefix, error.code == .busy else { throw error }
            log.write("bucket.unverified", ["bucket": client.address.description, "cause": error.message])
        }
    }

    // MARK: Reading

    package func locate(_ digest: SHA256Digest) throws(PlatformError) -> BlobLocation {
        do throws(SystemError) {
            if let blob = try cache.open(digest) { return .open(blob) }
        } catch { throw PlatformError(storing: error) }
        if case .missing? = absence(of: digest) { return .missing }
        return .remote
    }

    package func open(_ digest: SHA256Digest) throws(PlatformError) -> OpenBlob? {
        do throws(S3Error) {
            if let blob = try cached(digest) { return blob }
            switch absence(of: digest) {
            case .missing: return nil
            case .damaged: throw .damaged(key: key(of: digest))
            case nil: break
            }
            counts.withLock { $0.misses += 1 }
            return try fetch(digest)
        } catch {
            if error == .cacheBusy { logBusyCache(error) }
            throw PlatformError(bucket: error)
        }
    }

    package func describe(_ digest: SHA256Digest) throws(PlatformError) -> BlobFacts? {
        do throws(S3Error) {
            if let blob = try cached(digest) { return BlobFacts(size: blob.size, storedAt: blob.storedAt) }
            let key = key(of: digest)
            switch absence(of: digest) {
            case .missing: return nil
            case .damaged: throw .damaged(key: key)
            case nil: break
            }
            if let object = try client.head(key) { return BlobFacts(size: object.size, storedAt: object.modified) }
            note(.missing, digest)
            logMissing(key)
            return nil
        } catch {
            throw PlatformError(bucket: error)
        }
    }

    private func cached(_ digest: SHA256Digest) throws(S3Error) -> OpenBlob? {
        do throws(SystemError) { return try cache.open(digest) } catch { throw .localFile(error) }
    }

    /// Fetches a blob; concurrent calls for one blob send one request and share its outcome.
    private func fetch(_ digest: SHA256Digest) throws(S3Error) -> OpenBlob? {
        let flight = flights.withLock { flights in
            let flight = flights[digest] ?? Flight()
            flights[digest] = flight
            return flight
        }
        let outcome = flight.outcome.withLock { outcome in
            if let outcome { return outcome }
            let result = Result { () throws(S3Error) in try fill(digest) }
            outcome = result
            flights.withLock { flights in
                if flights[digest] === flight { flights[digest] = nil }
            }
            return result
        }
        return try outcome.get()
    }

    private func fill(_ digest: SHA256Digest) throws(S3Error) -> OpenBlob? {
        // An earlier fetch may have ended after this call had found nothing.
        if let blob = try cached(digest) { return blob }
        let key = key(of: digest)
        do throws(S3Error) {
            return try fill(digest, from: key)
        } catch {
            guard case .damaged = error else { throw error }
            log.write("bucket.damaged", ["object": key])
        }
        // The bytes may have been damaged on the way.
        do throws(S3Error) { return try fill(digest, from: key) } catch {
            if case .damaged = error {
                note(.damaged, digest)
                damages.withLock { $0.keep(true, under: digest) }
            }
            throw error
        }
    }

    private func fill(_ digest: SHA256Digest, from key: String) throws(S3Error) -> OpenBlob? {
        var fill: BlobFill?
        let object = try client.get(
            key,
            onHead: { (object) throws(S3Error) in
                // Ends the reservation of an earlier attempt first.
                fill = nil
                fill = try BlobFill(of: object, in: cache, cryptography: client.cryptography)
            },
            onBytes: { (bytes) throws(S3Error) in try fill?.write(bytes) })
        guard let object, let fill else {
            note(.missing, digest)
            logMissing(key)
            return nil
        }
        let blob = try fill.finish(as: digest, object, key: key)
        counts.withLock { $0.fills += 1 }
        return blob
    }

    private func absence(of digest: SHA256Digest) -> Absence? {
        absences.withLock { absences in
            guard let (absence, end) = absences.find(digest), elapsed() < end else { return nil }
            return absence
        }
    }

    private func note(_ absence: Absence, _ digest: SHA256Digest) {
        absences.withLock { $0.keep((absence, until: elapsed() + RemoteLimits.absenceTime), under: digest) }
    }

    package func forgetAbsences() {
        absences.withLock { $0 = Generations(capacity: 2 * RemoteLimits.rememberedAbsences) }
    }

    /// Logs a missing object, at most one a second: clients can invent any number of digests.
    private func logMissing(_ key: String) {
        guard let unlogged = counts.withLock({ $0.missing.admit(at: elapsed()) }) else { return }
        log.write("bucket.missing", ["object": key, "unlogged": String(unlogged)])
    }

    /// Logs a fetch that found no room in the cache, at most one a second.
    private func logBusyCache(_ error: S3Error) {
        guard let unlogged = counts.withLock({ $0.busy.admit(at: elapsed()) }) else { return }
        log.write("cache.busy", ["cause": error.description, "unlogged": String(unlogged)])
    }

    // MARK: Writing

    package func stage() throws(PlatformError) -> any BlobStaging {
        try PlatformError.storing {
            try DiskBlobStaging(in: cache.folders, counted: stagings, claims: claims, remote: self)
        }
    }

    /// Uploads the staged files that the bucket lacks, then moves all of them into the cache.
    func commit(_ staged: [(record: BlobRecord, path: String)]) throws(PlatformError) {
        try verifyPrefix()
        do throws(S3Error) {
            try S3Client.forEach(staged) { (blob) throws(S3Error) in
                try withStripe(of: blob.record.digest) { () throws(S3Error) in try upload(blob.record, blob.path) }
            }
        } catch {
            throw PlatformError(bucket: error)
        }
        for (record, path) in staged {
            absences.withLock { $0.keep((.missing, until: .zero), under: record.digest) }
            // The blob is in the bucket: a cache that cannot be written to only makes the next read slower.
            try? cache.add(path, as: record)
        }
    }

    /// Checks the marker if it could not be read at the start.
    private func verifyPrefix() throws(PlatformError) {
        guard !isVerified.load(ordering: .relaxed) else { return }
        do throws(PlatformError) { try PrefixMarker(client: client, epoch: epoch).check() } catch {
            log.write("bucket.unverified", ["bucket": client.address.description, "cause": error.message])
            throw PlatformError(.busy, PlatformError.unusableBucket, cause: error.message)
        }
        isVerified.store(true, ordering: .relaxed)
    }

    /// Uploads a blob unless the bucket is known to have it.
    ///
    /// A cached blob is looked up with HEAD, because its object may have been removed, and so is one above
    /// ``RemoteLimits/maximumUploadWithoutHead``. A smaller blob without a cached file is almost always new, and is uploaded at once:
    /// half the requests. If the bucket has it all the same, equal bytes replace it, and only its date changes.
    private func upload(_ record: BlobRecord, _ path: String) throws(S3Error) {
        let key = key(of: record.digest)
        if let end = deletions.withLock({ $0.find(record.digest) }), elapsed() < end {
            log.write("bucket.deleting", ["object": key, "seconds": String((end - elapsed()).components.seconds)])
            throw .deletionPending(key: key)
        }
        let isDamaged = damages.withLock { $0.find(record.digest) ?? false }
        let isProbablyNew = record.size <= RemoteLimits.maximumUploadWithoutHead && !cache.lists(record.digest)
        if !isDamaged, !isProbablyNew, let object = try client.head(key), object.size == record.size {
            guard let date = object.modified else { return }
            do throws(SystemError) {
                try FileDescriptor(path, O_WRONLY).setModified(date.milliseconds)
            } catch { throw .localFile(error) }
        } else {
            try client.put(key, file: path, size: record.size, digest: record.digest)
            if isDamaged { damages.withLock { $0.keep(false, under: record.digest) } }
        }
    }

    private func withStripe(of digest: SHA256Digest, _ body: () throws(S3Error) -> Void) throws(S3Error) {
        try stripes[Int(digest.bytes[0])].lock.withLock { (_) throws(S3Error) in try body() }
    }

    // MARK: Removing

    /// Does nothing: the cache removes staged files when it is opened, and objects are never removed by a list.
    package func sweep(keeping known: Set<SHA256Digest>) throws(PlatformError) -> Int { 0 }

    package func condemn(_ digests: Set<SHA256Digest>) -> Set<SHA256Digest> { claims.condemn(digests) }

    /// Permits removals if the bucket can be reached and the prefix still belongs to this installation.
    package func permitRemoval(at now: Timestamp) throws(PlatformError) -> RemovalPermit? {
        try PrefixMarker(client: client, epoch: epoch).check()
        isVerified.store(true, ordering: .relaxed)
        return RemovalPermit(until: client.now.adding(milliseconds: RemoteLimits.removalMilliseconds)) {}
    }

    package func removeCondemned(_ digests: Set<SHA256Digest>) throws(PlatformError) -> Int {
        try removeCondemned(digests, until: nil)
    }

    package func removeCondemned(
        _ digests: Set<SHA256Digest>, under permit: RemovalPermit
    ) throws(PlatformError) -> Int {
        try removeCondemned(digests, until: permit.deadline)
    }

    package func uncertainRemovals(among digests: Set<SHA256Digest>) -> Set<SHA256Digest> {
        deletions.withLock { deletions in
            digests.filter { digest in deletions.find(digest).map { elapsed() < $0 } ?? false }
        }
    }

    /// Removes the cached files, then the objects; a file or an object that cannot be deleted is logged and stays.
    private func removeCondemned(
        _ digests: Set<SHA256Digest>, until deadline: Timestamp?
    ) throws(PlatformError) -> Int {
        let removed = Atomic(0)
        do throws(S3Error) {
            try S3Client.forEach(Array(digests)) { (digest) throws(S3Error) in
                try withStripe(of: digest) { () throws(S3Error) in
                    guard claims.takeCondemned(digest) else { return }
                    removed.add(1, ordering: .relaxed)
                    remove(digest, until: deadline)
                }
            }
        } catch { throw PlatformError(bucket: error) }
        return removed.load(ordering: .relaxed)
    }

    private func remove(_ digest: SHA256Digest, until deadline: Timestamp?) {
        let key = key(of: digest)
        do throws(SystemError) { try cache.remove(digest) } catch {
            log.write("cache.unremoved", ["blob": digest.hex, "cause": error.description])
        }
        do throws(S3Error) {
            try client.delete(key, until: deadline) {
                deletions.withLock { $0.keep(elapsed() + RemoteLimits.deletionTime, under: digest) }
            }
        } catch {
            log.write("bucket.undeleted", ["object": key, "cause": error.description])
        }
    }

    // MARK: Names and figures

    func key(of digest: SHA256Digest) -> String { client.address.key(of: digest) }

    package var figures: BlobStoreFigures? {
        let (counts, cache, requests) = (counts.withLock { $0 }, cache.figures, client.counts)
        return BlobStoreFigures(
            hits: cache.hits, misses: counts.misses, fills: counts.fills, evictions: cache.evictions,
            cachedBytes: cache.bytes, cachedFiles: cache.files, requests: requests.requests,
            failures: requests.failures)
    }
}

extension S3Address {
    /// Returns the key of a blob: `PREFIX/blobs/ab/DIGEST`.
    func key(of digest: SHA256Digest) -> String { "\(prefix)blobs/\(Hex.encode(digest.bytes.prefix(1)))/\(digest.hex)" }
}

extension PlatformError {
    /// Converts an error of the bucket; the cause is for the log.
    init(bucket error: S3Error) {
        switch error {
        case .localFile(let error): self.init(storing: error)
        case .damaged: self.init(.storageFailed, error.description, cause: error.description)
        case .deletionPending:
            self.init(
                .busy,
                "A file of this version was removed a moment ago, and the removal may not be complete. Try again "
                    + "in \(RemoteLimits.deletionTime.components.seconds / 60) minutes.", cause: error.description)
        default: self.init(.busy, Self.unusableBucket, cause: error.description)
        }
    }

    /// The message for clients while the bucket cannot be used.
    static let unusableBucket = "The store of files cannot be used now. Try again in a moment."
}
