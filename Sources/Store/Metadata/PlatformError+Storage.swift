package import Domain
import Files

extension PlatformError {
    /// Converts an error of the store, as the only code that does.
    package init(storing error: any Error) {
        switch error {
        case let error as PlatformError:
            self = error
        case let error as DatabaseError where error.code == .full:
            self.init(.storageFull, Self.diskFull, cause: error.description)
        case let error as DatabaseError where error.code == .serverFull:
            self.init(
                .storageFull, "The disk of the database server is full. Free some space there and try again.",
                cause: error.description)
        case let error as DatabaseError where error.code == .constraint:
            self.init(
                .internalError, "The server attempted a change that its database does not allow.",
                cause: error.description)
        case let error as DatabaseError where error.code == .inUse || error.code == .outdated:
            self.init(.busy, error.message)
        case let error as DatabaseError where error.code == .unavailable:
            self.init(
                .storageUnavailable,
                "The database does not respond or refuses the connection. Try again in a moment; if that does not help, "
                    + "check that the database server runs and accepts connections.",
                cause: error.description)
        case let error as DatabaseError where error.code == .timedOut:
            self.init(
                .storageUnavailable,
                "A statement took too long, or waited for a lock. Try again; if that does not help, look for long "
                    + "transactions in pg_stat_activity.",
                cause: error.description)
        case let error as DatabaseError where error.code == .unusable:
            self.init(.storageFailed, error.message, cause: error.description)
        case let error as DatabaseError where error.code == .unstorable:
            self.init(
                .invalidRequest, "A text contains the character U+0000, which the database cannot store. Remove it.",
                cause: error.description)
        case let error as DatabaseError:
            self.init(.storageFailed, "The server cannot read or write its data.", cause: error.description)
        case let error as MigrationError:
            self.init(.storageFailed, error.description)
        case let error as SystemError where error.isStorageFull:
            self.init(.storageFull, Self.diskFull, cause: error.description)
        case let error as SystemError:
            self.init(.storageFailed, "The server cannot read or write its data.", cause: error.description)
        default:
            self.init(.internalError, "The server failed.", cause: String(describing: error))
        }
    }

    /// Runs `body` and converts its errors to those of the platform.
    static func storing<Result>(_ body: () throws -> Result) throws(PlatformError) -> Result {
        do {
            return try body()
        } catch {
            throw PlatformError(storing: error)
        }
    }

    private static let diskFull = "The server's disk is full. Free some space there and try again."

    /// Runs `body` like ``storing(_:)``; the error of a full disk names the folder on that disk.
    ///
    /// - Parameter whenFull: Called before the error of a full disk is thrown.
    static func storing<Result>(
        on folder: String, whenFull: () -> Void = {}, _ body: () throws -> Result
    ) throws(PlatformError) -> Result {
        do throws(PlatformError) {
            return try storing(body)
        } catch {
            guard error.code == .storageFull else { throw error }
            whenFull()
            // The error of an inner call may name another folder.
            guard error.message == diskFull else { throw error }
            throw PlatformError(
                .storageFull, "The disk of \(folder) is full. Make room and run the command again.", cause: error.cause)
        }
    }
}
