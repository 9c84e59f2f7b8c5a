import Domain
import Files
import Glibc
import Ground
import Synchronization

/// A transfer of blobs between a folder and a bucket, several at a time, which verifies each by its digest.
struct BucketTransfer: Sendable {
    let client: S3Client
    let folders: BlobFolders
    let cryptography: any Cryptography
    let hash: @Sendable (_ descriptor: Int32, _ size: Int) throws(PlatformError) -> SHA256Digest
    let progress: MoveProgress

    /// The blobs that were copied, and those with faults.
    struct Outcome: Sendable {
        var copiedBlobs = 0
        var copiedBytes = 0
        var faults: [Finding] = []
    }

    /// The number of attempts to get an object whose bytes were damaged, possibly on the way.
    private static let attempts = 2

    // MARK: To the bucket

    /// Uploads the blobs that the bucket lacks; the store verifies the bytes that arrive.
    func upload(_ records: [BlobRecord]) throws -> Outcome {
        let outcome = Mutex(Outcome())
        try Self.forEach(records) { record in
            let key = client.address.key(of: record.digest)
            if let object = try client.head(key), object.size == record.size { return progress.add(record.size) }
            let path = folders.path(of: record.digest)
            if let fault = fault(of: record, at: path) { return outcome.withLock { $0.faults.append(fault) } }
            try client.put(key, file: path, size: record.size, digest: record.digest)
            outcome.withLock { outcome in
                outcome.copiedBlobs += 1
                outcome.copiedBytes += record.size
            }
            progress.add(record.size)
        }
        return outcome.withLock { $0 }
    }

    /// Returns the fault of a file; `nil` if its bytes are those of the blob.
    private func fault(of record: BlobRecord, at path: String) -> Finding? {
        let remedy = "Copy the file from a backup, under the same name, and check the disk."
        func finding(_ code: Finding.Code, _ what: String) -> Finding {
            Finding(code: code, subject: record.digest.hex, message: "\(path) \(what). \(remedy)")
        }
        do {
            guard let blob = try BlobFolders.open(path) else { return finding(.blobMissing, "is missing") }
            guard blob.size == record.size else {
                return finding(.blobSize, "has \(blob.size) bytes instead of \(record.size)")
            }
            guard try hash(blob.descriptor, blob.size) == record.digest else {
                return finding(.blobDamaged, "differs from the stored bytes")
            }
            return nil
        } catch {
            return finding(.blobDamaged, "cannot be read (\(error))")
        }
    }

    // MARK: From the bucket

    /// Downloads the blobs that the folder lacks; they become visible in batches, after they are on the disk.
    func download(_ records: [BlobRecord], into store: DiskBlobStore) throws -> Outcome {
        var outcome = Outcome()
        var rest = records[...]
        while !rest.isEmpty {
            var (batch, bytes): ([BlobRecord], Int) = ([], 0)
            while batch.count < BlobTransfer.batchBlobs, bytes < BlobTransfer.batchBytes, let record = rest.popFirst() {
                guard try !folders.has(record) else {
                    progress.add(record.size)
                    continue
                }
                batch.append(record)
                bytes += record.size
            }
            let staging = try store.stage()
            defer { staging.discard() }
            let faults = try download(batch, into: staging)
            try staging.commit()
            outcome.faults += faults
            outcome.copiedBlobs += staging.records.count
            outcome.copiedBytes += staging.records.reduce(0) { $0 + $1.size }
        }
        return outcome
    }

    private func download(_ batch: [BlobRecord], into staging: any BlobStaging) throws -> [Finding] {
        let faults = Mutex<[Finding]>([])
        try Self.forEach(batch) { record in
            if let fault = try fetch(record, into: staging) { return faults.withLock { $0.append(fault) } }
            progress.add(record.size)
        }
        return faults.withLock { $0 }
    }

    /// Downloads a blob; returns the fault of its object.
    private func fetch(_ record: BlobRecord, into staging: any BlobStaging) throws -> Finding? {
        let key = client.address.key(of: record.digest)
        func finding(_ code: Finding.Code, _ what: String) -> Finding {
            Finding(
                code: code, subject: record.digest.hex,
                message: "\(key) \(what). Restore the object from an earlier version of the bucket or a replica.")
        }
        for _ in 1...Self.attempts {
            var file: (any BlobFile)?
            var digest: (any RunningDigest)?
            var (size, failure): (Int, PlatformError?) = (0, nil)
            let object: S3Object?
            do throws(S3Error) {
                object = try client.get(
                    key,
                    onHead: { (object) throws(S3Error) in
                        // An object of another size is not stored: it could fill the disk.
                        size = object.size
                        guard object.size == record.size else { throw .damaged(key: key) }
                        do throws(PlatformError) {
                            (file, digest) = (try staging.newBlob(), try cryptography.digest(.sha256))
                        } catch {
                            failure = error
                            throw .cacheBusy
                        }
                    },
                    onBytes: { (bytes) throws(S3Error) in
                        digest?.update(Array(bytes))
                        do throws(PlatformError) { try file?.write(bytes) } catch {
                            failure = error
                            throw .cacheBusy
                        }
                    })
            } catch {
                if let failure { throw failure }
                guard case .damaged = error else { throw error }
                return finding(.blobSize, "has \(size) bytes instead of \(record.size)")
            }
            guard object != nil, let file, let digest else { return finding(.blobMissing, "is missing") }
            guard digest.finish() == record.digest.bytes else { continue }
            try file.finish(as: record.digest)
            return nil
        }
        return finding(.blobDamaged, "differs from the stored bytes")
    }

    // MARK: Threads

    /// Calls `body` for each blob on several threads; throws the first error once all have ended.
    private static func forEach(
        _ records: [BlobRecord], _ body: @Sendable (BlobRecord) throws -> Void
    ) throws {
        let failure = Mutex<PlatformError?>(nil)
        do throws(S3Error) {
            try S3Client.forEach(records) { (record) throws(S3Error) in
                do {
                    try body(record)
                } catch let error as S3Error {
                    throw error
                } catch {
                    failure.withLock { $0 = $0 ?? PlatformError(storing: error) }
                    // Ends the other threads; the failure itself is thrown below.
                    throw .suspended
                }
            }
        } catch {
            throw failure.withLock { $0 } ?? PlatformError(starting: error)
        }
    }
}
