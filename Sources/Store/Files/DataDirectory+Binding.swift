package import Domain
import Files
import Glibc
import Ground

/// The binding of a directory of blobs to one database of PostgreSQL.
///
/// With another database, devices would miss every archive of this one.
extension DataDirectory {
    /// The name of the file with the epoch and the address of the database; a SQLite installation has none.
    static let bindingName = "postgresql"

    private static let longestBinding = 4_096
    private static let manual = "docs/operations.md, PostgreSQL"

    /// Whether the metadata of the blobs in a folder are in PostgreSQL.
    package static func isBound(_ path: String) -> Bool { access("\(path)/\(bindingName)", F_OK) == 0 }

    /// Throws `conflict` if the blobs belong to another database; changes neither the directory nor the database.
    ///
    /// A directory without a binding needs all blobs that the database refers to.
    func requireBinding(to database: Database, at address: PostgreSQLAddress) throws {
        let epoch = try epoch(in: database)
        guard try !isBound(to: address, epoch: epoch) else { return }
        try requireBlobs(epoch == nil ? [] : database.values("SELECT digest FROM blobs"), of: address)
    }

    /// Throws `conflict` if the blobs are bound to another database.
    func refuseOther(than database: Database, at address: PostgreSQLAddress) throws {
        _ = try isBound(to: address, epoch: epoch(in: database))
    }

    /// Returns `nil` for a database without the tables of Larder.
    private func epoch(in database: Database) throws -> String? {
        let tables: [String] = try database.values(database.dialect.tableNames)
        return tables.contains("meta") && tables.contains("migrations") ? try database.epoch : nil
    }

    /// Returns whether the blobs are bound to a database; throws `conflict` if they are bound to another one.
    private func isBound(to address: PostgreSQLAddress, epoch: String?) throws -> Bool {
        guard let binding = try bindingText() else { return false }
        let words = binding.split(separator: " ", maxSplits: 1).map(String.init)
        guard let bound = words.first, bound == epoch else {
            let other = words.count > 1 ? "\(words[1]) with the epoch \(words[0])" : "with the epoch \(binding)"
            throw PlatformError(
                .conflict,
                "The archives in \(path) belong to the database \(other). --database gives \(address) "
                    + (epoch.map { "with the epoch \($0). " } ?? "without an epoch. ")
                    + "Give the URL of the former. If this is that database and you have set a new epoch, remove "
                    + "\(bindingPath). If you have restored it from a backup, move \(path) away, and copy the archives "
                    + "of the backup into a new data directory (\(Self.manual)).")
        }
        return true
    }

    /// Binds the blobs to a database, unless they are bound already; the file is durable and never incomplete.
    func bind(to address: PostgreSQLAddress, epoch: String) throws {
        guard !Self.isBound(path) else { return }
        let temporary = "\(bindingPath).new"
        let file = try FileDescriptor.ofOwnFile(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.writeAll(Array("\(epoch) \(address)\n".utf8))
        try file.sync()
        try SystemError.check("renaming", temporary) { rename(temporary, bindingPath) }
        try Folder.sync(path)
    }

    private var bindingPath: String { "\(path)/\(Self.bindingName)" }

    private func bindingText() throws -> String? {
        guard Self.isBound(path) else { return nil }
        let bytes = try RegularFile(bindingPath).read(at: 0, upTo: Self.longestBinding)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    /// Throws `conflict` if the directory lacks blobs of the database, or has blobs of which the database knows none.
    private func requireBlobs(_ known: [SHA256Digest], of address: PostgreSQLAddress) throws {
        let present = try BlobFolders(root: path).digests()
        let missing = known.count { !present.contains($0) }
        guard missing == 0 else {
            throw PlatformError(
                .conflict,
                "\(path) lacks \(missing) of the \(known.count) archives that the database \(address) refers to. Copy "
                    + "the folder 'blobs' of the database's data directory into \(path), or give the database of the "
                    + "archives that \(path) has (\(Self.manual)).")
        }
        guard known.isEmpty, !present.isEmpty else { return }
        throw PlatformError(
            .conflict,
            "\(path) has \(present.count) archives, and the database \(address) refers to none. Give the database of "
                + "these archives, or restore it first; for a new installation, give an empty data directory "
                + "(\(Self.manual)).")
    }

    /// Throws `conflict` if the directory contains metadata of its own.
    static func requireNoMetadata(_ path: String, _ names: Set<String>) throws(PlatformError) {
        guard let other = names.filter({ $0.hasPrefix("larder.sqlite") }).min() else { return }
        throw PlatformError(
            .conflict,
            "\(path) contains \(other), the metadata of an installation without --database. Give another data "
                + "directory, or leave out --database.")
    }

    /// Throws `conflict` if the directory has blobs; without their metadata, a start would remove them.
    static func requireNoBlobs(_ path: String) throws {
        let count = try BlobFolders(root: path).digests().count
        guard count == 0 else {
            throw PlatformError(
                .conflict,
                "\(path) has \(count) archives and no larder.sqlite with their metadata. If the metadata are in "
                    + "PostgreSQL, give the URL as --database. Otherwise restore a backup with 'larder restore' into an "
                    + "empty folder, or give an empty data directory.")
        }
    }

    /// Returns the message of `larder backup` and `larder restore` for a directory whose metadata are in PostgreSQL.
    package static func backupRefusal(_ path: String) -> String {
        "The metadata of the blobs in \(path) are in PostgreSQL: back them up and restore them with pg_dump and "
            + "pg_restore, and copy the folder \(path)/blobs beside them. docs/operations.md has the steps."
    }

    /// Returns the error for a command without `--database`.
    package static func metadataElsewhere(_ path: String) -> PlatformError {
        PlatformError(
            .conflict, "The metadata of the blobs in \(path) are in PostgreSQL. Give the URL as --database.")
    }
}
