package import Domain
import Files
import Glibc
package import Ground

/// A backup of a server's data directory, running or stopped, into a folder that holds one backup.
///
/// The backup is complete when the new database replaces the former one. Only the removal of blobs that the former
/// backup needed comes later. If the process ends before the replacement, the former backup stays as it was. Blocks.
package struct StoreBackup {
    private let source: String
    private let target: DataDirectory
    private let cryptography: any Cryptography
    private let now: () -> Timestamp
    private let migrator = Migrator()

    /// The number of database copies before the backup gives up.
    ///
    /// A server without support for the hold may remove blobs during one.
    static let attempts = 3

    /// - Parameters:
    ///   - source: The data directory.
    ///   - target: A directory opened for ``DataDirectory/Purpose/backup``.
    package init(
        of source: String, into target: DataDirectory, cryptography: any Cryptography,
        now: @escaping () -> Timestamp
    ) {
        self.source = source
        self.target = target
        self.cryptography = cryptography
        self.now = now
    }

    private var newPath: String { "\(target.path)/\(DataDirectory.newName)" }

    /// Creates the backup, or completes an interrupted one.
    ///
    /// The report is incomplete if the source's database, or a blob of it, is missing or damaged; the former backup
    /// then stays. Broken references between rows are findings of a complete backup: no other copy of the data may
    /// exist.
    ///
    /// Throws `busy`, also if a server removed blobs during every attempt, `conflict` if the target holds another
    /// server's backup, `storageFull` or `storageFailed`.
    ///
    /// - Parameters:
    ///   - isQuick: Accepts blobs that are in the backup with the right size without reading them.
    ///   - progress: Called with the completed bytes and all bytes.
    package func run(
        isQuick: Bool = false, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(PlatformError) -> BackupReport {
        let hold = try RemovalHold(on: source, at: now())
        return try PlatformError.storing(on: target.path, whenFull: discardNew) {
            // Opened first, so that its sync reports every later write error.
            let disk = try FileDescriptor(directory: target.path)
            let transfer = BlobTransfer(
                source: BlobFolders(root: source), targetFolders: BlobFolders(root: target.path),
                target: try DiskBlobStore(directory: target.path), cryptography: cryptography, isQuick: isQuick)
            try refuseOther()
            try transfer.target.removeStaged()
            var report = BackupReport()
            for attempt in 1...Self.attempts {
                report = BackupReport()
                guard let records = try takeSnapshot(&report, hold) else { return report }
                let findings = report.examination.findingCount
                var done = 0
                let all = report.bytes
                let missing = try transfer.run(records, into: &report) { count in
                    done += count
                    progress(done, all)
                    try hold.renew(at: now())
                }
                // Blobs that the server has forgotten since are no loss: it removed them in spite of the hold.
                let lost = try missing.isEmpty ? [] : Database(.file(databasePath)).known(missing)
                for record in lost {
                    report.examination.add(
                        .blobMissing, record.digest.hex,
                        "\(transfer.source.path(of: record.digest)) is missing. Copy the file from another backup, "
                            + "under the same name, and check the disk.")
                }
                guard report.examination.findingCount == findings else { return report }
                if missing.isEmpty { break }
                guard attempt < Self.attempts else {
                    throw PlatformError(
                        .busy,
                        "The server removed archives during each of \(attempt) attempts to copy them. Try again.")
                }
            }
            try disk.syncFileSystem()
            try commit()
            report.isComplete = true
            // The former backup is not needed from here on.
            do {
                report.removedBlobs = try transfer.target.sweep(keeping: Set(try blobDigests()))
            } catch {
                let failure = PlatformError(storing: error)
                report.examination.notes.append(
                    "Archives that only the previous backup needed could not be removed (\(failure.cause ?? failure.message)). "
                        + "The next backup removes them.")
            }
            return report
        }
    }

    private var databasePath: String { "\(source)/larder.sqlite" }
    private var backupPath: String { "\(target.path)/larder.sqlite" }

    /// Throws if the target holds the backup of another server, or one of this server from before a restore.
    private func refuseOther() throws {
        guard access(backupPath, F_OK) == 0 else { return }
        let former: String?
        do {
            // Opening also merges the log that another program may have left after reading the backup.
            former = try Database(.file(backupPath)).epoch
        } catch let error as DatabaseError where error.code == .full {
            throw error
        } catch {
            throw PlatformError(
                .conflict, "\(backupPath) cannot be read. Give an empty folder, or empty this one.",
                cause: "\(error)")
        }
        guard former == (try openSource().epoch) else {
            throw PlatformError(
                .conflict,
                "\(target.path) contains a backup of another server, or of this one from before it was restored. Give "
                    + "an empty folder.")
        }
    }

    /// Copies the database and checks the copy; returns the blobs that it refers to, or `nil` if the database is
    /// damaged.
    ///
    /// Renews the hold between the steps, each of which reads the whole database.
    private func takeSnapshot(_ report: inout BackupReport, _ hold: RemovalHold) throws -> [BlobRecord]? {
        for suffix in ["-wal", "-shm", "-journal"] { try Folder.remove(newPath + suffix) }
        // The file holds private keys, so only its owner may read it from the beginning. It also marks the folder of a
        // first backup, so it is emptied and not removed.
        do { _ = try FileDescriptor(newPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, mode: 0o600) }
        do {
            let database = try openSource()
            _ = try migrator.check(database)
            try database.execute("VACUUM INTO \(newPath)")
        }
        try hold.renewNow(at: now())
        let copy = try Database(.file(newPath))
        try StoreExaminer.checkPages(of: copy, &report.examination)
        try hold.renewNow(at: now())
        try StoreExaminer.checkReferences(of: copy, &report.examination)
        try hold.renewNow(at: now())
        let records = try copy.blobRecords()
        report.blobs = records.count
        report.bytes = records.reduce(0) { $0 + $1.size }
        report.examination.notes.append(
            try copy.unsealedKeys() > 0
                ? "The backup contains private keys or secrets of webhooks in plain form. Protect it like the keys themselves."
                : "The private keys and the secrets of webhooks in the backup are encrypted. Keep the key of --key-file "
                    + "apart from it: a restored server needs that key.")
        try copy.checkpoint()
        return report.examination.isDatabaseReadable ? records : nil
    }

    /// Opens the server's database, whose disk may be full as well.
    private func openSource() throws(PlatformError) -> Database {
        try PlatformError.storing(on: source) { try Database(.file(databasePath)) }
    }

    /// Frees the disk space of an incomplete database; that of a first backup stays as an empty file, which marks the
    /// folder.
    private func discardNew() {
        for suffix in ["-wal", "-shm", "-journal"] { try? Folder.remove(newPath + suffix) }
        if access(backupPath, F_OK) == 0 {
            try? Folder.remove(newPath)
        } else {
            truncate(newPath, 0)
        }
    }

    private func blobDigests() throws -> [SHA256Digest] {
        try Database(.file(backupPath)).blobRecords().map(\.digest)
    }

    /// Replaces the former database by the new one.
    private func commit() throws {
        try Database.requireEmptyLog(newPath)
        try FileDescriptor(newPath, O_RDONLY).sync()
        try SystemError.check("renaming", newPath) { rename(newPath, backupPath) }
        try Folder.sync(target.path)
    }
}
