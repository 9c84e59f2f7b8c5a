import Artifacts
import Domain
import Glibc
import Store

/// The command `larder backup`, which copies the data of a server, running or stopped.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copy the data of a server, running or stopped, into a folder"
    static let about = """
        Copies the metadata and the archives into the folder TO, which then holds one complete backup. A running server
        goes on; it removes no archives meanwhile. A second backup into the same folder copies only what is new. A backup
        that is broken off leaves the former one in place, and the next run goes on where it stopped. Each archive is
        verified by its SHA-256 and the metadata by SQLite's checks. Runs on the server's machine, as root or as the
        account of the server.

        TO has to be missing, empty or the folder of an earlier backup; any other folder is refused.

        The key that seals private keys (--key-file) is not in the data directory and not in the backup: keep a copy of
        it elsewhere.
        """
    static let ending = """
        Exit status: 0 the backup is complete; 1 it failed, and the former one is in place; 2 the data of the server has
        faults, which are listed: if archives are missing or damaged, or the database is, the former backup is in place;
        if rows refer to rows that are not there, the backup is complete and has the same fault. The last line and
        "complete" of --json tell which. 64 wrong use.
        """

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .required("--data", "DIR", "the data directory, which 'larder serve' was given as --data"),
                    .operand("TO", "name the folder to copy to"),
                    .flag("--quick", "do not read the archives that the former backup has; compare their sizes"),
                    .flag("--json", "print one JSON object"))
            ) { source, target, isQuick, isJSON throws(CommandError) in
                try copy(source, to: target, isQuick: isQuick, asJSON: isJSON)
            }
        ]
    }

    private static func copy(
        _ source: String, to target: String, isQuick: Bool, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        guard !source.isEmpty else { throw .usage("name the data directory with --data") }
        guard !target.isEmpty else { throw .usage("name the folder to copy to") }
        guard access("\(source)/larder.sqlite", F_OK) == 0 else {
            throw .failure(
                "\(source) holds no larder.sqlite: name the directory that 'larder serve' was given as --data")
        }
        let meter = ProgressMeter(label: "backup")
        let report: BackupReport
        do throws(PlatformError) {
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
