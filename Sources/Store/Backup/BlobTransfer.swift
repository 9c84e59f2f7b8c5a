import Domain
import Files
import Glibc

/// A transfer of blobs from one folder to another, which verifies each by its digest.
///
/// Blobs become visible under their names in batches, after they are on the disk.
struct BlobTransfer {
    let source: BlobFolders
    let targetFolders: BlobFolders
    let target: DiskBlobStore
    let cryptography: any Cryptography
    /// Whether blobs that the target has with the right size are accepted without being read.
    let isQuick: Bool

    /// The limits of a batch.
    static let batchBlobs = 256
    static let batchBytes = 64 << 20
    /// The number of bytes that are read at a time.
    static let pieceBytes = 1 << 20

    /// Copies the blobs that the target lacks; returns the blobs that the source lacks.
    ///
    /// - Parameter step: Called after each piece with its number of bytes.
    func run(
        _ records: [BlobRecord], into report: inout BackupReport, step: (Int) throws -> Void
    ) throws -> [BlobRecord] {
        var missing: [BlobRecord] = []
        var rest = records[...]
        while !rest.isEmpty {
            let staging = try target.stage()
            defer { staging.discard() }
            var (blobs, bytes) = (0, 0)
            while blobs < Self.batchBlobs, bytes < Self.batchBytes, let record = rest.popFirst() {
                if try isThere(record, step) { continue }
                switch try copy(record, into: staging, step) {
                case .copied:
                    blobs += 1
                    bytes += record.size
                case .missing: missing.append(record)
                case .damaged(let code, let what):
                    let path = source.path(of: record.digest)
                    report.examination.add(
                        code, record.digest.hex,
                        "\(path) \(what). Copy the file from another backup, under the same name, and check the disk."
                    )
                }
            }
            try staging.commit()
            report.copiedBlobs += blobs
            report.copiedBytes += bytes
        }
        return missing
    }

    private enum Outcome {
        case copied
        case missing
        case damaged(Finding.Code, String)
    }

    private func isThere(_ record: BlobRecord, _ step: (Int) throws -> Void) throws -> Bool {
        guard let blob = try? BlobFolders.open(targetFolders.path(of: record.digest)), blob.size == record.size else {
            return false
        }
        if isQuick {
            try step(record.size)
            return true
        }
        var read = 0
        // A damaged blob is copied again, and its bytes are counted then.
        guard
            try digest(
                of: blob,
                each: { _, count in
                    read += count; try step(0)
                }) == record.digest
        else {
            return false
        }
        try step(read)
        return true
    }

    private func copy(
        _ record: BlobRecord, into staging: any BlobStaging, _ step: (Int) throws -> Void
    ) throws -> Outcome {
        let blob: OpenBlob
        do {
            guard let found = try BlobFolders.open(source.path(of: record.digest)) else { return .missing }
            blob = found
        } catch {
            return .damaged(.blobDamaged, "cannot be read (\(error))")
        }
        guard blob.size == record.size else {
            return .damaged(.blobSize, "has \(blob.size) bytes instead of \(record.size)")
        }
        let file = try staging.newBlob()
        do {
            let digest = try digest(of: blob) { buffer, count in
                try buffer.withUnsafeBytes { try file.write(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
                try step(count)
            }
            guard digest == record.digest else { return .damaged(.blobDamaged, "differs from the stored bytes") }
        } catch let error as SystemError where error.action == "reading" {
            return .damaged(.blobDamaged, "cannot be read (\(error))")
        }
        // Anything else with this name would remain.
        try Folder.remove(targetFolders.path(of: record.digest))
        try file.finish(as: record.digest)
        return .copied
    }

    /// Returns the digest of a blob and passes its pieces to `each` as they are read.
    private func digest(of blob: OpenBlob, each: ([UInt8], Int) throws -> Void) throws -> SHA256Digest? {
        let running = try cryptography.digest(.sha256)
        var buffer = [UInt8](repeating: 0, count: min(Self.pieceBytes, max(blob.size, 1)))
        var offset = 0
        while offset < blob.size {
            let count = try buffer.withUnsafeMutableBytes { buffer throws(SystemError) in
                try FileDescriptor.fill(buffer, from: blob.descriptor, "a blob", at: offset)
            }
            guard count > 0 else { break }
            running.update(count == buffer.count ? buffer : Array(buffer.prefix(count)))
            try each(buffer, count)
            offset += count
        }
        return SHA256Digest(bytes: running.finish())
    }
}
