import Artifacts
import Domain
import Glibc
import Store

/// The command `larder backup`, which copies the data of a server, running or stopped.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copy the data of a server, running or stopped, into a folder"
    static let about = """
        Copies the metadata and the archives into the folder TO, which then contains one complete backup. A running
        server continues, and removes no archives meanwhile. A second backup into the same folder copies only new
        archives. An interrupted backup leaves the previous one intact, and the next run continues it. Each archive is
        verified by its SHA-256 and the metadata by SQLite's checks. Run this command on the server's machine, as root
        or as the account of the server.

        TO must be missing, empty or the folder of an earlier backup; any other folder is refused.

        The key that encrypts private keys (--key-file) is neither in the data directory nor in the backup: keep a copy
        of it elsewhere.

        For installations on SQLite; for PostgreSQL see docs/operations.md.
        """
    static let ending = """
        Exit status: 0 the backup is complete; 1 it failed, and the previous backup is intact; 2 the server's data has
        faults, which are listed; 64 wrong usage. With status 2, the previous backup is intact if archives or the
        database are damaged or missing; if only references between rows are broken, the backup is complete and has the
        same fault. The last line, and "complete" in --json, state whether the backup is complete.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .required("--data", "DIR", "the data directory, which 'larder serve' has as --data"),
                    .operand("TO", "the folder to copy to is missing"),
                    .flag(
                        "--quick",
                        "compare only the sizes of archives that the previous backup has, and do not read them"),
                    .flag("--json", "print one JSON object"))
            ) { source, target, isQuick, isJSON throws(CommandError) in
                try copy(source, to: target, isQuick: isQuick, asJSON: isJSON)
            }
        ]
    }

    private static func copy(
        _ source: String, to target: String, isQuick: Bool, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        guard !source.isEmpty else { throw .usage("--data must not be empty: give the data directory") }
        guard !target.isEmpty else { throw .usage("TO must not be empty: give the folder to copy to") }
        guard !DataDirectory.isBound(source) else { throw .failure(DataDirectory.backupRefusal(source)) }
        guard access("\(source)/larder.sqlite", F_OK) == 0 else {
            throw .failure(
                "\(source) contains no larder.sqlite: give the directory that 'larder serve' has as --data")
        }
        let meter = ProgressMeter(label: "backup")
        let report: BackupReport
        do throws(PlatformError) {
            if let location = try DataDirectory.blobLocation(in: source) {
                throw PlatformError(
                    .conflict,
                    "The files of \(source) are in the bucket \(location), which this command does not copy. Turn on "
                        + "versioning or replication of the bucket, and copy the database: docs/operations.md.")
            }
            let clock = SystemClock()
            let backup = StoreBackup(
                of: source, into: try DataDirectory(target, at: clock.now(), for: .backup),
                cryptography: OpenSSLCryptography(), now: clock.now)
            report = try backup.run(isQuick: isQuick, progress: meter.show)
        } catch {
            meter.finish()
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        }
        meter.finish()
        BackupPrinter(report: report, name: name, path: target).show(asJSON: asJSON)
        return report.isComplete && report.examination.isSound ? .success : .refused
    }
}
