import Domain
import Files
import Glibc

extension StoreExaminer {
    /// Reads all blobs in the metadata, and counts the others.
    func checkBlobs(_ database: Database, _ examination: inout Examination) throws {
        var unknown: [String] = []
        for (byte, name) in BlobFolders.shards.enumerated() {
            let first = [UInt8(byte)] + Array(repeating: 0, count: 31)
            let last = [UInt8(byte)] + Array(repeating: UInt8.max, count: 31)
            let records = try database.rows(
                "SELECT digest, size FROM blobs WHERE digest BETWEEN \(first) AND \(last) ORDER BY digest"
            ) { row in BlobRecord(digest: try row[0], size: try row[1]) }
            for record in records { try check(record, in: database, &examination) }
            unknown += blobs(in: folders.shard(name), butFor: Set(records.map(\.digest.hex)))
        }
        guard !unknown.isEmpty else { return }
        guard address != nil else {
            examination.notes.append(
                "Blobs without a reference: \(unknown.count). The next start of the server removes them.")
            return
        }
        for path in unknown.prefix(Examination.listed) { examination.notes.append("Without a reference: \(path)") }
        examination.notes.append(
            "Blobs without a reference: \(unknown.count). No start removes them, because a later state of the database "
                + "may refer to them. Remove the files if this is the latest state.")
    }

    /// Returns the paths of the unknown blobs of a folder.
    ///
    /// An unreadable folder has none, and its missing blobs are findings.
    private func blobs(in shard: String, butFor known: Set<String>) -> [String] {
        let names = (try? Folder.entries(shard)) ?? []
        return names.filter { SHA256Digest(hex: $0) != nil && !known.contains($0) }.sorted().map { "\(shard)/\($0)" }
    }

    private func check(_ record: BlobRecord, in database: Database, _ examination: inout Examination) throws {
        let path = folders.path(of: record.digest)
        examination.blobs += 1
        guard let (code, what) = fault(of: record, at: path, &examination) else { return }
        let need = try need(for: record, in: database)
        examination.add(
            code, record.digest.hex,
            "\(path) \(what)\(need). Copy the file from a backup, under the same name, and check the disk.")
    }

    private func fault(
        of record: BlobRecord, at path: String, _ examination: inout Examination
    ) -> (Finding.Code, String)? {
        do {
            guard let blob = try BlobFolders.open(path) else { return (.blobMissing, "is missing") }
            guard blob.size == record.size else {
                return (.blobSize, "has \(blob.size) bytes instead of \(record.size)")
            }
            examination.bytes += blob.size
            let digest = try hash(blob.descriptor, blob.size)
            return digest == record.digest ? nil : (.blobDamaged, "differs from the stored bytes")
        } catch let error as SystemError where error.number == EINVAL || error.number == EISDIR {
            return (.blobMissing, "is not a regular file")
        } catch {
            // Continues after a bad sector with the other files.
            return (.blobDamaged, "cannot be read (\(error))")
        }
    }

    /// Returns the version that needs a blob, as text to append to its path.
    func need(for record: BlobRecord, in database: Database) throws -> String {
        let user: String? = try database.value(
            """
            SELECT packages.id || ' ' || versions.version FROM versions
            JOIN packages ON packages.number = versions.package
            WHERE versions.number = coalesce(
                (SELECT version FROM artifacts WHERE blob = \(record.digest) LIMIT 1),
                (SELECT version FROM files WHERE digest = \(record.digest) LIMIT 1),
                (SELECT version FROM files WHERE deflated_digest = \(record.digest) LIMIT 1))
            """)
        return user.map { ", which \($0) needs" } ?? ", which no version needs"
    }
}
