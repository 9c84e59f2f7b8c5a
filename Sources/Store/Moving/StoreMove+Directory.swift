import Domain
import Files
import Glibc

extension StoreMove {
    func moveToDirectory(_ progress: @escaping Progress) throws -> MoveReport {
        let home = try DataDirectory(directory, at: now, for: .moving)
        let place = Self.absolute(directory)
        let source = try Database(.postgreSQL(address))
        let epoch = try requireCurrent(source)
        try requireNotLeft(source, for: place)
        // The target has its mark from before the source gets one until after it.
        if try source.moveMark() != nil, !DataDirectory.isMoving(directory) { try source.requireNoMove() }
        // After a lost connection, data that another server has changed are refused.
        try source.pinIdentity()
        let folder = try openSource(source, epoch)
        try home.beginMove(of: address.description, epoch: epoch)

        var report = MoveReport()
        let records = try records(of: source, &report)
        try receiveBlobs(records, progress, &report)
        guard report.examination.isSound else { return report }
        _ = try DiskBlobStore(directory: directory).sweep(keeping: Set(records.map(\.digest)))
        try fillDatabase(of: home, from: source, &report)
        guard report.examination.isSound else { return report }

        // In this order: a crash in between leaves no two servers that could start.
        if try source.moveMark() == nil {
            try source.setMoveMark(MoveMark(state: .moved, epoch: epoch, other: place))
        }
        try home.commitMovingDatabase()
        try home.endMove()
        withExtendedLifetime(folder) {}
        if case .bucket(let client) = blobs {
            report.examination.notes.append(
                "The objects below \(client.address) stay. Remove them once the new server runs.")
        }
        report.isComplete = true
        return report
    }

    /// Opens the blobs of the source; returns their data directory, or `nil` if they are in a bucket.
    private func openSource(_ source: Database, _ epoch: String) throws -> DataDirectory? {
        switch blobs {
        case .bucket(let client):
            try PrefixMarker(client: client, epoch: epoch).check()
            return nil
        case .directory(let path):
            // Opening a data directory would create a missing one.
            guard access("\(path)/blobs", F_OK) == 0 else {
                throw PlatformError(
                    .conflict,
                    "\(path) contains no blobs: give the data directory of the server on PostgreSQL, or its bucket.")
            }
            let folder = try DataDirectory(path, at: now, for: .servingWithExternalMetadata)
            try folder.requireLocalBlobs()
            try folder.refuseOther(than: source, at: address)
            let spool = "\(path)/\(FileReportSpool.fileName)"
            // A missing spool has no reports; those of an unreadable one are unknown.
            let count = FileReportSpool.count(in: path) ?? (access(spool, F_OK) != 0 && errno == ENOENT ? 0 : nil)
            guard let count else {
                throw PlatformError(
                    .conflict,
                    "\(spool) cannot be read, so its reports would be lost. Start the larder that wrote it, and stop it "
                        + "once 'larder_reports_spooled' is 0, or move the file elsewhere; then move again.")
            }
            guard count == 0 else {
                throw PlatformError(
                    .conflict,
                    "\(path) contains reports that are not in the database yet (reports.spool). Start the server there, "
                        + "stop it once 'larder_reports_spooled' is 0, and move again.")
            }
            return folder
        }
    }

    private func receiveBlobs(
        _ records: [BlobRecord], _ progress: @escaping Progress, _ report: inout MoveReport
    ) throws {
        let progress = MoveProgress(upTo: report.bytes, progress)
        switch blobs {
        case .directory(let path): try copyBlobs(records, from: path, to: directory, progress, &report)
        case .bucket(let client):
            let store = try DiskBlobStore(directory: directory)
            try store.removeStaged()
            let transfer = BucketTransfer(
                client: client, folders: BlobFolders(root: directory), cryptography: cryptography, hash: hash,
                progress: progress)
            add(try transfer.download(records, into: store), &report)
        }
    }

    /// Fills the new database, examines it, and leaves it closed with everything in one file.
    private func fillDatabase(of home: DataDirectory, from source: Database, _ report: inout MoveReport) throws {
        try home.removeMovingDatabase()
        // The file holds private keys, so only its owner may read it from the beginning.
        do {
            _ = try FileDescriptor(
                home.movingDatabasePath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        }
        let target = try Database(.file(home.movingDatabasePath))
        try migrator.migrate(target)
        try copyRows(from: source, to: target, &report)
        try examine(target, in: home, at: nil, bucket: nil, &report)
        try target.checkpoint()
    }
}
