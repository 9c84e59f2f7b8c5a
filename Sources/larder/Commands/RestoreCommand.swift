import Artifacts
import Domain
import Glibc
import Store

/// `larder restore`: puts a backup into an empty data directory.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "copy a backup into an empty data directory"
    static let help = """
        usage: larder restore FROM --data DIR [OPTION …]

        Copies the backup in FROM into the data directory DIR, which has to be empty or missing, and verifies it as
        'larder backup' does. It draws a new epoch, by which clients that hold a cursor of the lost server read /config
        anew. A restore that is broken off is repeated with the same command; a server refuses the directory until then.
        Start the server afterwards, with the key of --key-file that the lost one had.

          --data DIR         what 'larder serve' is given as --data
          --lost DIR         the data directory that was lost, if it can still be read: tells which keys were retired
                             and which tokens revoked since the backup, all of which are in use again
          --force            restore although archives of the backup are missing or damaged
          --json             print one JSON object

        Exit status: 0 restored; 1 it failed; 2 archives of the backup are missing or damaged; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(arguments, valued: ["--data", "--lost"], flags: ["--force", "--json"])
        try parsed.refusePositional(past: 1)
        guard let backup = parsed.positional.first, !backup.isEmpty else {
            throw .usage("name the folder of the backup")
        }
        guard let path = parsed["--data"], !path.isEmpty else { throw .usage("name the data directory with --data") }
        guard access("\(backup)/larder.sqlite", F_OK) == 0 else { throw .failure("there is no backup in \(backup)") }
        if let lost = parsed["--lost"], access("\(lost)/larder.sqlite", F_OK) != 0 {
            throw .failure("there is no data of larder in \(lost)")
        }
        let meter = ProgressMeter(label: "restore")
        let report: BackupReport
        do throws(PlatformError) {
            let restore = StoreRestore(
                of: backup, into: try DataDirectory(path, at: SystemClock().now(), for: .restoring),
                cryptography: OpenSSLCryptography())
            report = try restore.run(isForced: parsed.has("--force"), lost: parsed["--lost"], progress: meter.show)
        } catch {
            meter.finish()
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        }
        meter.finish()
        BackupPrinter(report: report, name: name, path: path).show(asJSON: parsed.has("--json"))
        return report.isComplete ? .success : .refused
    }
}
