package import Domain
import Files
import Glibc
import Ground

/// The binding of a directory of blobs to one database of PostgreSQL.
///
/// A start removes blobs that the metadata do not refer to, so that with another database it would remove all of them.
extension DataDirectory {
    /// The name of the file with the epoch and the address of the database; a SQLite installation has none.
    static let claimName = "postgresql"

    private static let longestClaim = 4_096

    /// Whether the metadata of the blobs in a folder are in PostgreSQL.
    package static func isClaimed(_ path: String) -> Bool { access("\(path)/\(claimName)", F_OK) == 0 }

    /// Throws `conflict` unless the blobs of the directory are those of a database; the first call binds them to it.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the database.
    ///   - known: The blobs that its metadata refer to.
    package func claim(
        for address: PostgreSQLAddress, epoch: String, known: Set<SHA256Digest>
    ) throws(PlatformError) {
        try PlatformError.storing(on: path) {
            if try isClaimed(by: address, epoch: epoch) { return }
            try requireBlobs(known, of: address)
            let file = try FileDescriptor.ofOwnFile(claimPath, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            try file.replaceContents(Array("\(epoch) \(address)\n".utf8))
            try file.sync()
            try Folder.sync(path)
        }
    }

    /// Returns whether the blobs are bound to a database; throws `conflict` if they are bound to another one.
    @discardableResult
    func isClaimed(by address: PostgreSQLAddress, epoch: String) throws -> Bool {
        guard let claim = try claimText() else { return false }
        guard claim.split(separator: " ").first.map(String.init) == epoch else {
            throw PlatformError(
                .conflict,
                "The blobs in \(path) belong to another database than \(address), which has the epoch \(epoch): "
                    + "\(claim). Give its URL as --database. If you have restored that database, remove "
                    + "\(claimPath) and start again.")
        }
        return true
    }

    private var claimPath: String { "\(path)/\(Self.claimName)" }

    private func claimText() throws -> String? {
        guard Self.isClaimed(path) else { return nil }
        let bytes = try RegularFile(claimPath).read(at: 0, upTo: Self.longestClaim)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    /// Throws `conflict` if the directory and the database have blobs, but none in common.
    private func requireBlobs(_ known: Set<SHA256Digest>, of address: PostgreSQLAddress) throws {
        let present = try BlobFolders(root: path).digests()
        guard present.isDisjoint(with: known), !present.isEmpty || !known.isEmpty else { return }
        throw PlatformError(
            .conflict,
            "\(path) has \(present.count) blobs and the database \(address) refers to \(known.count) others. Give the "
                + "database of these blobs as --database, or copy the folder 'blobs' of the database's data directory "
                + "into \(path).")
    }

    /// Throws `conflict` if the directory contains, or is to get, metadata of its own.
    static func requireNoMetadata(_ path: String, _ names: Set<String>) throws(PlatformError) {
        guard let other = names.filter({ $0.hasPrefix("larder.sqlite") }).min() else { return }
        throw PlatformError(
            .conflict,
            "\(path) contains \(other), the metadata of an installation without --database. Give another data "
                + "directory, or leave out --database.")
    }

    /// Returns the message of `larder backup` and `larder restore` for a directory whose metadata are in PostgreSQL.
    package static func copyByHand(_ path: String) -> String {
        "The metadata of the blobs in \(path) are in PostgreSQL: back them up and restore them with pg_dump and "
            + "pg_restore, and copy the folder \(path)/blobs beside them. docs/operations.md has the steps."
    }

    /// Returns the error for a command without `--database`.
    package static func metadataElsewhere(_ path: String) -> PlatformError {
        PlatformError(
            .conflict, "The metadata of the blobs in \(path) are in PostgreSQL. Give the URL as --database.")
    }
}
