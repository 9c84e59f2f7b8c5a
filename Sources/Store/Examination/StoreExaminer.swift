package import Domain
import Files
import Ground

/// An examination of a stopped server's data directory: every reference, digest and signature.
///
/// Changes nothing except by opening the database: SQLite merges its log. Blocks.
package struct StoreExaminer {
    /// A function that returns the SHA-256 of the first `size` bytes of an open file.
    package typealias Hasher = (_ descriptor: Int32, _ size: Int) throws(PlatformError) -> SHA256Digest

    let directory: DataDirectory
    let address: PostgreSQLAddress?
    let folders: BlobFolders
    let cryptography: any Cryptography
    let hash: Hasher
    let dialects: DialectList
    let migrator: Migrator
    /// The bucket of the blobs; `nil` if they are in the directory.
    let bucket: S3Client?

    /// - Parameters:
    ///   - directory: The owned data directory, which no server changes meanwhile.
    ///   - address: The address of the database of the metadata; `nil` for the one in the directory.
    ///   - dialects: The dialects of the server that is to serve the directory.
    ///   - bucket: The bucket of the blobs, of which only the sizes are checked; `nil` if they are in the directory.
    package init(
        _ directory: DataDirectory, address: PostgreSQLAddress? = nil, cryptography: any Cryptography,
        dialects: DialectList, migrator: Migrator = Migrator(), bucket: S3Client? = nil, hash: @escaping Hasher
    ) {
        self.bucket = bucket
        self.directory = directory
        self.address = address
        self.cryptography = cryptography
        self.dialects = dialects
        self.migrator = migrator
        self.hash = hash
        folders = BlobFolders(root: directory.path)
    }

    /// Examines the directory; throws `storageFailed` if that is impossible, with the remedy if the schema differs.
    package func examine() throws(PlatformError) -> Examination {
        var examination = Examination()
        if let bucket {
            try directory.requireBlobs(at: bucket.address.description)
        } else {
            try directory.requireLocalBlobs()
        }
        do {
            // SQLite would wait for a writer if one of its files were a named pipe.
            guard try checkFiles(&examination) else { return examination }
            if let count = FileReportSpool.count(in: directory.path), count > 0 {
                examination.notes.append(
                    "\(count) reports wait in \(FileReportSpool.fileName) for the database. The next start stores them."
                )
            }
            let database = try Database(address.map { .postgreSQL($0) } ?? .file(directory.databasePath))
            try database.requireFinishedMove()
            if let address { try directory.refuseOther(than: database, at: address) }
            try check(database, &examination)
        } catch let error as DatabaseError where error.code == .corrupt {
            let subject = address?.description ?? "larder.sqlite"
            examination.add(.databaseDamaged, subject, "\(error.message). \(remedy)")
        } catch {
            throw PlatformError(storing: error)
        }
        return examination
    }

    /// Examines an open database and its blobs.
    func check(_ database: Database, _ examination: inout Examination) throws {
        try checkSchema(of: database, &examination)
        try Self.checkDatabase(database, &examination)
        // The contents of a damaged database are unreliable.
        guard examination.isDatabaseReadable else { return }
        try checkDialects(database, &examination)
        if let bucket {
            try checkBlobs(database, in: bucket, &examination)
        } else {
            try checkBlobs(database, &examination)
        }
        try checkVersions(database, &examination)
        try checkSignatures(database, &examination)
        try checkTotals(database, &examination)
        try checkReports(database, &examination)
        try checkAudit(database, &examination)
    }

    /// Reports entries that are neither files nor folders.
    ///
    /// Returns `false` if one stands under the name of a database file, so that the database cannot be read.
    private func checkFiles(_ examination: inout Examination) throws -> Bool {
        var isDatabaseReadable = true
        for folder in [directory.path, folders.blobs] + BlobFolders.shards.map(folders.shard) {
            // A folder that cannot be listed lacks its blobs, which are findings.
            for name in (try? Folder.specialFiles(in: folder)) ?? [] {
                examination.add(
                    .specialFile, "\(folder)/\(name)",
                    "It is a named pipe, a socket or a device. Remove it: a data directory must contain only files and folders."
                )
                if folder == directory.path, name.hasPrefix("larder.sqlite") { isDatabaseReadable = false }
            }
        }
        return isDatabaseReadable
    }

    static let restore = "Restore the latest backup of the whole data directory."

    /// The remedy of findings that only a backup removes.
    var remedy: String {
        address == nil
            ? Self.restore
            : "Restore the database and the folder 'blobs' from a backup (docs/operations.md, PostgreSQL)."
    }

    private func checkSchema(of database: Database, _ examination: inout Examination) throws {
        do {
            let schema = try migrator.check(database)
            let newest = migrator.newest(for: database)
            guard schema == newest else {
                throw PlatformError(
                    .storageFailed,
                    "The database has schema \(schema), and this larder has schema \(newest). Check it with the "
                        + "larder that wrote it, or start and stop the server of this one first.")
            }
        } catch MigrationError.altered(let name) {
            examination.add(.migrationAltered, name, MigrationError.altered(name: name).description)
        }
    }

    /// Reports stored dialects that the server lacks.
    private func checkDialects(_ database: Database, _ examination: inout Examination) throws {
        _ = try database.rows("SELECT app, id, dialects FROM packages ORDER BY number") { row in
            let (app, package, text): (AppID, PackageID, String) = (try row[0], try row[1], try row[2])
            let names = JSON(parsing: Array(text.utf8))?.elements?.map { $0.string ?? $0.text } ?? [text]
            for name in names {
                guard let refusal = dialects.refusal(of: Dialect(rawValue: name), on: package, of: app) else {
                    continue
                }
                examination.add(.dialectUnknown, "\(app) \(package)", refusal)
            }
        }
    }

    /// Adds the findings of SQLite's own checks; PostgreSQL has programs of its own for them.
    static func checkDatabase(_ database: Database, _ examination: inout Examination) throws {
        guard database.dialect == .sqlite else {
            examination.notes.append("The pages of PostgreSQL were not checked: run pg_amcheck.")
            return
        }
        try checkPages(of: database, &examination)
        try checkReferences(of: database, &examination)
    }

    static func checkPages(of database: Database, _ examination: inout Examination) throws {
        let complaints: [String] = try database.values("PRAGMA integrity_check(100)")
        for complaint in complaints where complaint != "ok" {
            examination.add(.databaseDamaged, "larder.sqlite", "SQLite reports: \(complaint). \(Self.restore)")
        }
    }

    static func checkReferences(of database: Database, _ examination: inout Examination) throws {
        _ = try database.rows("PRAGMA foreign_key_check") { row in
            let (table, parent): (String, String) = (try row[0], try row[2])
            let number: Int64? = try row[1]
            examination.add(
                .referenceBroken, table,
                "Row \(number.map(String.init) ?? "?") refers to a missing row of \(parent). \(Self.restore)")
        }
    }
}
