package import Domain
import Files
import Glibc
package import Ground

/// A move of an installation from SQLite and files to PostgreSQL, or back (decision 0067).
///
/// The source has to be stopped; locks enforce that. Until the last step a server refuses the target, and the source
/// stays as it is; afterwards a server refuses the source. An interrupted move is continued by the next run. Blocks.
package struct StoreMove {
    /// The end that receives the data.
    package enum Direction: Sendable {
        case toPostgreSQL
        case toDirectory
    }

    /// The place of the blobs of the installation on PostgreSQL.
    package enum Blobs: Sendable {
        /// The path of its data directory.
        case directory(String)
        case bucket(S3Client)
    }

    /// A function that returns the SHA-256 of the first `size` bytes of an open file.
    package typealias Hasher = @Sendable (_ descriptor: Int32, _ size: Int) throws(PlatformError) -> SHA256Digest
    package typealias Progress = @Sendable (_ done: Int, _ all: Int) -> Void

    /// The data directory of the installation on SQLite.
    let directory: String
    let address: PostgreSQLAddress
    let blobs: Blobs
    let cryptography: any Cryptography
    let dialects: DialectList
    let hash: Hasher
    let now: Timestamp
    let migrator = Migrator()

    /// - Parameters:
    ///   - directory: The data directory of the installation on SQLite.
    ///   - address: The database of the installation on PostgreSQL.
    ///   - blobs: The place of the blobs of the installation on PostgreSQL.
    ///   - dialects: The dialects of the server that is to serve the target.
    ///   - now: The time that is reported to another process that wants a locked directory.
    package init(
        of directory: String, and address: PostgreSQLAddress, blobs: Blobs, cryptography: any Cryptography,
        dialects: DialectList, now: Timestamp, hash: @escaping Hasher
    ) {
        self.directory = directory
        self.address = address
        self.blobs = blobs
        self.cryptography = cryptography
        self.dialects = dialects
        self.now = now
        self.hash = hash
    }

    /// Moves the installation, or continues an interrupted move.
    ///
    /// The report is incomplete if the source has faults; the source is then unchanged, and the next run continues.
    ///
    /// Throws `busy` if a server or another move uses an end, `conflict` if an end cannot be used, `storageFull`,
    /// `storageUnavailable` or `storageFailed`.
    package func run(
        _ direction: Direction, progress: @escaping Progress = { _, _ in }
    ) throws(PlatformError) -> MoveReport {
        switch direction {
        case .toPostgreSQL:
            let folder = if case .directory(let path) = blobs { path } else { directory }
            return try PlatformError.storing(on: folder) { try moveToPostgreSQL(progress) }
        case .toDirectory:
            return try PlatformError.storing(on: directory, whenFull: discardDatabase) {
                try moveToDirectory(progress)
            }
        }
    }

    /// Returns the epoch of the source; throws unless a server of this version could use it.
    func requireCurrent(_ source: Database) throws -> String {
        let (schema, newest) = (try migrator.check(source), migrator.newest(for: source))
        guard schema == newest else {
            throw PlatformError(
                .conflict,
                "The source has schema \(schema), and this larder has schema \(newest). Start and stop the server of "
                    + "this version there once, and move again.")
        }
        try source.requireFinishedMove()
        guard let epoch = try source.epoch else { throw DatabaseError.unreadable("meta", statement: "SELECT epoch") }
        return epoch
    }

    /// Throws `conflict` if the source was moved to another target before.
    func requireNotLeft(_ source: Database, for target: String) throws {
        guard let mark = try source.moveMark(), mark.other != target else { return }
        try source.requireNoMove()
    }

    /// Copies all rows, and adds their number and what could not be copied to the report.
    func copyRows(from source: Database, to target: Database, _ report: inout MoveReport) throws {
        let outcome = try TableCopy(source: source, target: target).run()
        (report.tables, report.rows) = (outcome.tables, outcome.rows)
        for (table, count) in outcome.unstorable.sorted(by: { $0.key < $1.key }) {
            report.examination.notes.append(
                "\(count) rows of \(table) contain the character U+0000 and were left out: PostgreSQL cannot store it.")
        }
        let plain: Int? = try target.value(
            """
            SELECT (SELECT count(*) FROM keys WHERE private_key IS NOT NULL AND sealed = 0)
                + (SELECT count(*) FROM webhooks WHERE sealed = 0)
            """)
        report.examination.notes.append(
            plain == 0
                ? "Private keys and secrets of webhooks stay encrypted: give the new server the same --key-file."
                : "The database contains private keys, or secrets of webhooks, in plain form: set --key-file "
                    + "(docs/operations.md, At rest).")
    }

    /// Adds the findings of `larder doctor` on the target to the report.
    func examine(
        _ target: Database, in directory: DataDirectory, at address: PostgreSQLAddress?, bucket: S3Client?,
        _ report: inout MoveReport
    ) throws {
        let hash = hash
        let examiner = StoreExaminer(
            directory, address: address, cryptography: cryptography, dialects: dialects, bucket: bucket
        ) { (descriptor, size) throws(PlatformError) in try hash(descriptor, size) }
        try examiner.check(target, &report.examination)
    }

    /// Returns the blobs of the source, and adds their extent to the report.
    func records(of source: Database, _ report: inout MoveReport) throws -> [BlobRecord] {
        let records = try source.blobRecords()
        report.blobs = records.count
        report.bytes = records.reduce(0) { $0 + $1.size }
        return records
    }

    /// Copies the blobs that a folder lacks from another folder.
    func copyBlobs(
        _ records: [BlobRecord], from source: String, to target: String, _ progress: MoveProgress,
        _ report: inout MoveReport
    ) throws {
        let store = try DiskBlobStore(directory: target)
        try store.removeStaged()
        let transfer = BlobTransfer(
            source: BlobFolders(root: source), targetFolders: BlobFolders(root: target), target: store,
            cryptography: cryptography, isQuick: true)
        var copy = BackupReport()
        let missing = try transfer.run(records, into: &copy) { progress.add($0) }
        (report.copiedBlobs, report.copiedBytes) = (copy.copiedBlobs, copy.copiedBytes)
        for finding in copy.examination.findings {
            report.examination.add(finding.code, finding.subject, finding.message)
        }
        for record in missing {
            report.examination.add(
                .blobMissing, record.digest.hex,
                "\(transfer.source.path(of: record.digest)) is missing. Copy the file from a backup, under the same "
                    + "name, and check the disk.")
        }
    }

    /// Adds the outcome of a transfer from or to a bucket to the report.
    func add(_ outcome: BucketTransfer.Outcome, _ report: inout MoveReport) {
        (report.copiedBlobs, report.copiedBytes) = (outcome.copiedBlobs, outcome.copiedBytes)
        for fault in outcome.faults { report.examination.add(fault.code, fault.subject, fault.message) }
    }

    /// Frees the disk space of the incomplete database of the target.
    private func discardDatabase() {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink("\(directory)/larder.sqlite.moving\(suffix)") }
    }

    /// Returns the absolute path of an existing folder, for messages and comparisons.
    static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
