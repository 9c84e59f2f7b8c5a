package import Domain
import Files
import Glibc
import Ground

/// A restore of a backup into an empty data directory, which gets a new epoch.
///
/// A server refuses the directory before the last step, which renames the database. Blocks.
package struct StoreRestore {
    private let backup: String
    private let target: DataDirectory
    private let cryptography: any Cryptography
    private let migrator = Migrator()

    /// - Parameters:
    ///   - backup: The folder of a backup, or the data directory of a stopped server; never written to.
    ///   - target: A directory opened for ``DataDirectory/Purpose/restoring``.
    package init(of backup: String, into target: DataDirectory, cryptography: any Cryptography) {
        self.backup = backup
        self.target = target
        self.cryptography = cryptography
    }

    /// Restores the backup, or completes an interrupted restore.
    ///
    /// The report is incomplete if blobs of the backup are missing or damaged, or references between rows are broken; a
    /// server then refuses the directory.
    ///
    /// Throws `busy`, `conflict` if the lock of the backup is no regular file, `storageFull` or `storageFailed`.
    ///
    /// - Parameters:
    ///   - isForced: Completes the restore in spite of missing or damaged blobs and broken references, but never with a
    ///     damaged database.
    ///   - lost: The data directory that the backup replaces, as far as it is readable; it shows which keys and tokens
    ///     were retired or revoked since.
    package func run(
        isForced: Bool = false, lost: String? = nil, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(PlatformError) -> BackupReport {
        try PlatformError.storing(on: target.path) {
            let reading = try readLock()
            defer { if let reading { close(reading) } }
            try removeLostCopy()
            let disk = try FileDescriptor(directory: target.path)
            let transfer = BlobTransfer(
                source: BlobFolders(root: backup), targetFolders: BlobFolders(root: target.path),
                target: try DiskBlobStore(directory: target.path), cryptography: cryptography, isQuick: false)
            try transfer.target.removeStaged()
            try copyDatabase(of: backup, to: target.restoringPath)
            var report = BackupReport()
            let records = try prepare(&report, lost: lost)
            var done = 0
            let all = report.bytes
            let missing = try transfer.run(records, into: &report) { count in
                done += count
                progress(done, all)
            }
            for record in missing {
                report.examination.add(
                    .blobMissing, record.digest.hex,
                    "\(transfer.source.path(of: record.digest)) is missing. Copy the file from another backup, under "
                        + "the same name.")
            }
            let isUsable = report.examination.isDatabaseReadable
            guard report.examination.isSound || (isForced && isUsable) else { return report }
            try disk.syncFileSystem()
            try commit()
            report.isComplete = true
            return report
        }
    }

    /// Locks the backup against changes while it is read; returns `nil` if there is nothing to lock.
    private func readLock() throws -> Int32? {
        let path = "\(backup)/lock"
        // A backup on a read-only medium needs no lock.
        guard access(path, R_OK) == 0 else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PlatformError(.conflict, "\(path) is not a regular file. Remove it and run the command again.")
        }
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        guard try file.lock(.shared, within: FileDescriptor.lockPatience) else {
            throw PlatformError(
                .busy, "\(backup) is in use: a server or another backup uses it. Try again when it has ended.")
        }
        return file.release()
    }

    /// Copies a database with its log without opening it, because the backup may be on a read-only medium.
    private func copyDatabase(of folder: String, to path: String) throws {
        // The log first: SQLite ignores a log without a database.
        for suffix in ["-shm", "-journal", "-wal", ""] {
            if !suffix.isEmpty { try Folder.remove(path + suffix) }
            guard suffix != "-shm", access("\(folder)/larder.sqlite\(suffix)", F_OK) == 0 else { continue }
            let source = try RegularFile("\(folder)/larder.sqlite\(suffix)")
            let copy = try FileDescriptor.ofOwnFile(path + suffix, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            var offset = 0
            while offset < source.size {
                let piece = try source.read(at: offset, upTo: BlobTransfer.pieceBytes)
                try copy.writeAll(piece)
                offset += piece.count
            }
        }
    }

    /// Checks the copied database, generates its new epoch and collects facts for the operator.
    private func prepare(_ report: inout BackupReport, lost: String?) throws -> [BlobRecord] {
        let database = try Database(.file(target.restoringPath))
        _ = try migrator.check(database)
        try StoreExaminer.checkDatabase(database, &report.examination)
        guard report.examination.isDatabaseReadable else { return [] }
        try database.execute("UPDATE meta SET epoch = lower(hex(randomblob(8)))")
        // Some of them may have ended since the backup.
        for table in ["sessions", "sign_in_attempts", "command_line_requests"] {
            // A backup of an earlier version lacks some of them.
            let known: Int? = try database.value("SELECT 1 FROM sqlite_schema WHERE name = \(table)")
            if known != nil { try database.execute(SQL(stringLiteral: "DELETE FROM \(table)")) }
        }
        let records = try database.blobRecords()
        report.blobs = records.count
        report.bytes = records.reduce(0) { $0 + $1.size }
        report.examination.notes += try notes(on: database, lost: lost)
        try database.checkpoint()
        return records
    }

    private func notes(on database: Database, lost: String?) throws -> [String] {
        let keys = try database.keysInUse()
        let last = try database.lastAuditTime()
        let since = last.map { "The newest entry of the backup's audit log is of \($0.rfc3339)." }
        let moment = last == nil ? "the backup was made" : "that"
        var notes = [
            "\(since ?? "The backup has no audit log.") Keys retired and tokens revoked after \(moment) are in use again; retire "
                + "and revoke them again before devices reach the server. Keys in use: "
                + keys.sorted().joined(separator: ", ") + "."
        ]
        guard let lost else { return notes }
        defer { try? removeLostCopy() }
        do {
            try copyDatabase(of: lost, to: lostCopyPath)
            let former = try Database(.file(lostCopyPath))
            for (key, time) in try former.retiredKeys().sorted(by: { $0.key < $1.key }) where keys.contains(key) {
                notes.append("RETIRED SINCE: the key \(key) was retired on \(time.rfc3339) and is in use again.")
            }
            let valid = try database.validTokens()
            for (id, name) in try former.revokedTokens().sorted(by: { $0.key < $1.key }) where valid[id] != nil {
                notes.append("REVOKED SINCE: the token \(id) (\(name)) was revoked and is valid again.")
            }
        } catch {
            notes.append(
                "\(lost) cannot be read, so the keys and tokens retired since the backup are unknown: \(error).")
        }
        return notes
    }

    private var lostCopyPath: String { "\(target.path)/lost.sqlite" }

    /// Removes the copy of the lost database, which holds private keys.
    private func removeLostCopy() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Folder.remove(lostCopyPath + suffix) }
    }

    private func commit() throws {
        try Database.requireEmptyLog(target.restoringPath)
        try FileDescriptor(target.restoringPath, O_RDONLY).sync()
        try SystemError.check("renaming", target.restoringPath) { rename(target.restoringPath, target.databasePath) }
        try Folder.sync(target.path)
    }
}
