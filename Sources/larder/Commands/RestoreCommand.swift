import Artifacts
import Domain
import Glibc
import Store

/// The command `larder restore`, which copies a backup into an empty data directory.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "copy a backup into an empty data directory"
    static let about = """
        Copies the backup in FROM into the data directory DIR, which must be empty or missing, and verifies it as
        'larder backup' does. It generates a new epoch, so clients that hold a cursor of the lost server request /config
        again. If the restore is interrupted, run the same command again; no server starts in the directory until then.
        Afterwards start the server with the lost server's key (--key-file).

        For installations on SQLite; for PostgreSQL see docs/operations.md.
        """
    static let ending =
        "Exit status: 0 success; 1 failure; 2 archives of the backup are missing or damaged, or references between its "
        + "rows are broken; 64 wrong usage."

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operand("FROM", "the folder of the backup is missing"),
                    .required("--data", "DIR", "the new data directory, which 'larder serve' gets as --data"),
                    .option(
                        "--lost", "DIR",
                        "the lost data directory, if it can still be read; the keys retired and the tokens revoked in it "
                            + "since the backup are listed, because they are in use again"),
                    .flag(
                        "--force",
                        "restore even if archives of the backup are missing or damaged, or references are broken"),
                    .flag("--json", "print one JSON object"))
            ) { backup, path, lost, isForced, isJSON throws(CommandError) in
                try restore(backup, to: path, lost: lost, isForced: isForced, asJSON: isJSON)
            }
        ]
    }

    private static func restore(
        _ backup: String, to path: String, lost: String?, isForced: Bool, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        guard !backup.isEmpty else { throw .usage("FROM must not be empty: give the folder of the backup") }
        guard !path.isEmpty else { throw .usage("--data must not be empty: give the data directory") }
        for folder in [backup, path, lost ?? backup] where DataDirectory.isBound(folder) {
            throw .failure(DataDirectory.backupRefusal(folder))
        }
        guard access("\(backup)/larder.sqlite", F_OK) == 0 else {
            throw .failure("\(backup) contains no larder.sqlite: give the folder that 'larder backup' wrote to")
        }
        if let lost, access("\(lost)/larder.sqlite", F_OK) != 0 {
            throw .failure("\(lost) contains no larder.sqlite: give the lost data directory, or leave out --lost")
        }
        for directory in [path, backup] { try requireLocalBlobs(directory) }
        let meter = ProgressMeter(label: "restore")
        let report: BackupReport
        do throws(PlatformError) {
            let restore = StoreRestore(
                of: backup, into: try DataDirectory(path, at: SystemClock().now(), for: .restoring),
                cryptography: OpenSSLCryptography())
            report = try restore.run(isForced: isForced, lost: lost, progress: meter.show)
        } catch {
            meter.finish()
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        }
        meter.finish()
        BackupPrinter(report: report, name: name, path: path).show(asJSON: asJSON)
        return report.isComplete ? .success : .refused
    }

    /// Throws a failure if the blobs of a directory are in a bucket, which this command does not copy.
    private static func requireLocalBlobs(_ directory: String) throws(CommandError) {
        let location: String?
        do throws(PlatformError) { location = try DataDirectory.blobLocation(in: directory) } catch {
            throw .failure(error.message)
        }
        guard let location else { return }
        throw .failure(
            "The files of \(directory) are in the bucket \(location), which this command does not copy. Restore the "
                + "database and the objects: docs/operations.md.")
    }
}
