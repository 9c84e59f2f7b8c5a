import Domain
import Ground
import Synchronization

extension StoreExaminer {
    /// Looks up all blobs of the metadata in the bucket, by size; does not read them.
    func checkBlobs(_ database: Database, in bucket: S3Client, _ examination: inout Examination) throws {
        if let epoch = try database.epoch { try PrefixMarker(client: bucket, epoch: epoch).check() }
        let records = try database.blobRecords()
        let faults = Mutex<[SHA256Digest: (Finding.Code, String)]>([:])
        do throws(S3Error) {
            try S3Client.forEach(records) { (record) throws(S3Error) in
                let key = bucket.address.key(of: record.digest)
                let object = try bucket.head(key)
                guard object?.size != record.size else { return }
                let fault: (Finding.Code, String) =
                    object.map { (.blobSize, "has \($0.size) bytes instead of \(record.size)") }
                    ?? (.blobMissing, "is missing")
                faults.withLock { $0[record.digest] = fault }
            }
        } catch { throw PlatformError(starting: error) }
        let found = faults.withLock { $0 }
        for record in records {
            examination.blobs += 1
            guard let (code, what) = found[record.digest] else {
                examination.bytes += record.size
                continue
            }
            examination.add(
                code, record.digest.hex,
                "\(bucket.address.key(of: record.digest)) \(what)\(try need(for: record, in: database)). Restore the "
                    + "object from an earlier version of the bucket or a replica.")
        }
    }
}
