import Domain
import Files
import Glibc

/// The file `moving`, which states that a move into a data directory is not complete.
extension DataDirectory {
    /// The name of the file with the epoch and the source of the move.
    static let movingName = "moving"
    /// The name of the file until it is complete.
    private static let movingDraftName = "moving.new"
    /// The limit on the bytes of the file.
    private static let movingLimit = 4_096

    /// The path of the database that a move fills, and renames at its end.
    var movingDatabasePath: String { "\(path)/larder.sqlite.moving" }

    private var movingPath: String { "\(path)/\(Self.movingName)" }

    /// Whether a move into a directory is not complete.
    static func isMoving(_ path: String) -> Bool { access("\(path)/\(movingName)", F_OK) == 0 }

    /// Throws `conflict` if a move into a directory with these entries is not complete.
    static func requireNoMove(_ path: String, _ names: Set<String>) throws(PlatformError) {
        guard names.contains(movingName) else { return }
        throw PlatformError(
            .conflict,
            "A move into \(path) is not complete. Run 'larder move' again with the same options, or serve the source, "
                + "which still has the data.")
    }

    /// Throws `conflict` unless a directory with these entries is empty, or has an unfinished move.
    static func requireMovable(_ path: String, _ names: Set<String>) throws(PlatformError) {
        guard names.contains(movingName) || names.isSubset(of: ["lock", "lost+found", movingDraftName]) else {
            throw PlatformError(
                .conflict, "\(path) is not empty. Give an empty or a missing folder as the target of the move.")
        }
    }

    /// Marks the directory as the target of a move; throws `conflict` if it has an unfinished one from another
    /// installation.
    func beginMove(of source: String, epoch: String) throws(PlatformError) {
        try PlatformError.storing(on: path) {
            guard !Self.isMoving(path) else {
                let bytes = try RegularFile(movingPath).read(at: 0, upTo: Self.movingLimit)
                let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
                guard words.first.map(String.init) == epoch else {
                    throw PlatformError(
                        .conflict,
                        "\(path) contains an unfinished move from another installation (\(words.last ?? "unknown")). "
                            + "Repeat that one, or give an empty folder.")
                }
                return
            }
            let temporary = "\(path)/\(Self.movingDraftName)"
            let file = try FileDescriptor.ofOwnFile(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            try file.writeAll(Array("\(epoch) \(source)\n".utf8))
            try file.sync()
            try SystemError.check("renaming", temporary) { rename(temporary, movingPath) }
            try Folder.sync(path)
        }
    }

    /// Removes the mark of the move.
    func endMove() throws(PlatformError) {
        try PlatformError.storing(on: path) {
            try Folder.remove(movingPath)
            try Folder.sync(path)
        }
    }

    /// Removes the database of an earlier attempt.
    func removeMovingDatabase() throws(SystemError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Folder.remove(movingDatabasePath + suffix) }
    }

    /// Puts the filled and closed database in its place.
    func commitMovingDatabase() throws {
        try Database.requireEmptyLog(movingDatabasePath)
        try FileDescriptor(movingDatabasePath, O_RDONLY).sync()
        try SystemError.check("renaming", movingDatabasePath) { rename(movingDatabasePath, databasePath) }
        try Folder.sync(path)
    }
}
