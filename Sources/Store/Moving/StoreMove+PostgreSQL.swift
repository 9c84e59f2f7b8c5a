import Domain
import Glibc

extension StoreMove {
    /// The state of the database that receives the data.
    private enum TargetState {
        case empty
        /// A move from the same source was interrupted.
        case unfinished
        /// Only the mark of its data directory may be left.
        case complete
    }

    func moveToPostgreSQL(_ progress: @escaping Progress) throws -> MoveReport {
        // Opening a data directory would create a missing one.
        guard access("\(directory)/larder.sqlite", F_OK) == 0 else {
            throw PlatformError(
                .conflict,
                "\(directory) contains no larder.sqlite: give the data directory of the installation on SQLite.")
        }
        let home = try DataDirectory(directory, at: now)
        let source = try PlatformError.storing(on: directory) { try Database(.file(home.databasePath)) }
        let epoch = try requireCurrent(source)
        try requireNotLeft(source, for: address.description)
        let location = try DataDirectory.blobLocation(in: directory)
        try requireReachable(location)
        let target = try Database(.postgreSQL(address))
        let state = try state(of: target, epoch: epoch, isMoved: source.moveMark() != nil)
        guard state != .complete else { return try completed(epoch) }
        let folder = try openTarget(epoch)
        if case .bucket(let client) = blobs { try reserve(client, epoch, isNew: location == nil) }
        if state == .empty {
            try target.setMoveMark(MoveMark(state: .unfinished, epoch: epoch, other: Self.absolute(directory)))
        }
        try migrator.migrate(target)
        try target.pinIdentity()

        var report = MoveReport()
        let records = try records(of: source, &report)
        try sendBlobs(records, isShared: location != nil, progress, &report)
        guard report.examination.isSound else { return report }
        try copyRows(from: source, to: target, &report)
        // The copied epoch is another one.
        try target.pinIdentity()
        // The statistics of the new rows; PostgreSQL collects them by itself later.
        try? target.executeScript("ANALYZE")
        if let folder { _ = try DiskBlobStore(directory: folder.path).sweep(keeping: Set(records.map(\.digest))) }
        try examine(target, in: folder ?? home, at: address, bucket: bucket, &report)
        guard report.examination.isSound else { return report }

        // In this order: a crash in between leaves no two servers that could start.
        if try source.moveMark() == nil {
            try source.setMoveMark(MoveMark(state: .moved, epoch: epoch, other: address.description))
        }
        try folder?.bind(to: address, epoch: epoch)
        try target.removeMoveMark()
        try folder?.endMove()
        report.isComplete = true
        return report
    }

    private var bucket: S3Client? { if case .bucket(let client) = blobs { client } else { nil } }

    /// Throws `conflict` if the blobs of the source are in a bucket that is not the one of the target.
    private func requireReachable(_ location: String?) throws {
        guard let location, location != bucket?.address.description else { return }
        throw PlatformError(
            .conflict,
            "The files of \(directory) are in the bucket \(location), and a move leaves them there. Give --blobs "
                + "\(location).")
    }

    /// Returns the state of the target; throws `conflict` if it has other data.
    private func state(of target: Database, epoch: String, isMoved: Bool) throws -> TargetState {
        let tables: [String] = try target.values(target.dialect.tableNames)
        guard !tables.isEmpty || isMoved else { return .empty }
        if let mark = try target.moveMark() {
            guard mark.state == .unfinished, mark.epoch == epoch else {
                throw PlatformError(
                    .conflict,
                    mark.state == .moved
                        ? "\(address) contains an installation that was moved to \(mark.other). Give an empty database."
                        : "\(address) contains an unfinished move from another installation, \(mark.other). Repeat "
                            + "that one, or give an empty database.")
            }
            return .unfinished
        }
        if isMoved, tables.contains("meta"), try target.epoch == epoch { return .complete }
        throw PlatformError(
            .conflict,
            tables.isEmpty
                ? "\(directory) was moved to \(address), which is empty now. If its data are lost, drop the table "
                    + "\(MoveMark.table) of \(directory)/larder.sqlite and move again."
                : "\(address) is not empty. Create an empty database, or a schema of its own, and give its URL.")
    }

    /// Opens and marks the data directory that receives the blobs; returns `nil` if a bucket receives them.
    private func openTarget(_ epoch: String) throws -> DataDirectory? {
        guard case .directory(let path) = blobs else { return nil }
        let folder = try DataDirectory(path, at: now, for: .moving)
        try folder.beginMove(of: Self.absolute(directory), epoch: epoch)
        return folder
    }

    /// Reserves the prefix of the bucket, or checks that it is the one of the source.
    private func reserve(_ client: S3Client, _ epoch: String, isNew: Bool) throws {
        let marker = PrefixMarker(client: client, epoch: epoch)
        if isNew { try marker.create() } else { try marker.check() }
        try marker.checkRights()
    }

    private func sendBlobs(
        _ records: [BlobRecord], isShared: Bool, _ progress: @escaping Progress, _ report: inout MoveReport
    ) throws {
        let progress = MoveProgress(upTo: report.bytes, progress)
        switch blobs {
        case .directory(let path): try copyBlobs(records, from: directory, to: path, progress, &report)
        case .bucket(let client):
            guard !isShared else { return }
            let transfer = BucketTransfer(
                client: client, folders: BlobFolders(root: directory), cryptography: cryptography, hash: hash,
                progress: progress)
            add(try transfer.upload(records), &report)
        }
    }

    /// Completes a move that was killed after its last change of the database.
    private func completed(_ epoch: String) throws -> MoveReport {
        if case .directory(let path) = blobs, DataDirectory.isMoving(path) { try openTarget(epoch)?.endMove() }
        var report = MoveReport()
        report.examination.notes.append("The move was complete before.")
        report.isComplete = true
        return report
    }
}
