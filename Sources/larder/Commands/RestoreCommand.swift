import Artifacts
import Domain
import Glibc
import Store

/// The command `larder restore`, which copies a backup into an empty data directory.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "copy a backup into an empty data directory"
    static let about = """
        Copies the backup in FROM into the data directory DIR, which has to be empty or missing, and verifies it as
        'larder backup' does. It draws a new epoch, by which clients that hold a cursor of the lost server read /config
        anew. A restore that is broken off is repeated with the same command; a server refuses the directory until then.
        Start the server afterwards, with the key of --key-file that the lost one had.
        """
    static let ending =
        "Exit status: 0 restored; 1 it failed; 2 archives of the backup are missing or damaged, or rows refer to rows that are "
        + "not there; 64 wrong use."

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operand("FROM", "name the folder of the backup"),
                    .required("--data", "DIR", "the data directory, which 'larder serve' is given as --data"),
                    .option(
                        "--lost", "DIR",
                        "the data directory that was lost, if it can still be read: tells which keys were retired and which "
                            + "tokens revoked since the backup, all of which are in use again"),
                    .flag(
                        "--force",
                        "restore although archives of the backup are missing or damaged, or references are broken"),
                    .flag("--json", "print one JSON object"))
            ) { backup, path, lost, isForced, isJSON throws(CommandError) in
                try restore(backup, to: path, lost: lost, isForced: isForced, asJSON: isJSON)
            }
        ]
    }

    private static func restore(
        _ backup: String, to path: String, lost: String?, isForced: Bool, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        guard !backup.isEmpty else { throw .usage("name the folder of the backup") }
        guard !path.isEmpty else { throw .usage("name the data directory with --data") }
        guard access("\(backup)/larder.sqlite", F_OK) == 0 else {
            throw .failure("\(backup) holds no larder.sqlite: name the folder that 'larder backup' wrote to")
        }
        if let lost, access("\(lost)/larder.sqlite", F_OK) != 0 {
            throw .failure("\(lost) holds no larder.sqlite: name the lost data directory, or leave out --lost")
        }
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
}
