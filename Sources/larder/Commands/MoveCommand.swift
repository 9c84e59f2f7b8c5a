import Artifacts
import Dialects
import Domain
import Ground
import Store
import Synchronization

/// The command `larder move`, which moves an installation between SQLite and PostgreSQL.
enum MoveCommand: Command {
    static let name = "move"
    static let summary = "move a stopped installation from SQLite to PostgreSQL, or back"
    static let about = """
        Copies a stopped installation from SQLite to PostgreSQL, or back; devices, tokens and scripts continue as
        before. The archives of the installation on PostgreSQL are in a bucket (--blobs) or in a data directory of its
        own (--data). The target must be empty: a new database, a missing folder, an unused prefix.

        Every archive is verified by its SHA-256 and every row is compared; at the end the target is checked as 'larder
        doctor' does. If the move is interrupted, run the same command again: it copies only the archives that are
        missing. Until it is complete no server starts on the target, and afterwards none starts on the source, which is
        kept.

        Private keys stay encrypted; this command does not need their key (--key-file), but the new server does. A
        source on SQLite with a bucket moves only to PostgreSQL with the same bucket, which keeps the objects.

        Without --database-password-file, LARDER_DATABASE_PASSWORD_FILE applies.
        """
    static let ending =
        "Exit status: 0 the move is complete; 1 it failed, and the source is intact; 2 the source's data have faults, which "
        + "are listed, and the source is intact; 64 wrong usage."

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .required(
                        "--from", "DIR|URL",
                        "the source: the data directory of an installation on SQLite, or postgresql://USER@HOST/NAME"),
                    .required("--to", "URL|DIR", "the target: the other one of the two"),
                    .option(
                        "--data", "DIR",
                        "the data directory of the installation on PostgreSQL, if it holds the archives"),
                    .option("--database-password-file", "PATH", DatabaseSource.passwordHelp),
                    .options(BucketConfiguration.bucketSettings.map(\.shape)),
                    .flag("--json", "print one JSON object"))
            ) { source, target, data, password, flags, isJSON throws(CommandError) in
                let environment = Environment.all
                let ends = try ends(from: source, to: target, passwordFile: password, environment)
                let blobs = try blobs(data, flags, environment, besides: ends.directory)
                return try move(ends, blobs, asJSON: isJSON)
            }
        ]
    }

    private struct Ends {
        let direction: StoreMove.Direction
        let directory: String
        let address: PostgreSQLAddress
    }

    private static func ends(
        from source: String, to target: String, passwordFile path: String?, _ environment: [String: String]
    ) throws(CommandError) -> Ends {
        let direction: StoreMove.Direction
        switch (isURL(source), isURL(target)) {
        case (false, true): direction = .toPostgreSQL
        case (true, false): direction = .toDirectory
        default:
            throw .usage(
                "one of --from and --to must be a data directory, and the other one a URL of PostgreSQL such as "
                    + "postgresql://larder@db.example.com/larder")
        }
        let isTarget = direction == .toPostgreSQL
        let directory = isTarget ? source : target
        guard !directory.isEmpty else {
            throw .usage("\(isTarget ? "--from" : "--to") must not be empty: give the data directory")
        }
        let address = try DatabaseSource.address(
            isTarget ? target : source, passwordFile: path ?? environment["LARDER_DATABASE_PASSWORD_FILE"] ?? "",
            origin: isTarget ? "--to" : "--from", environment)
        guard let address else { throw .usage("the URL of PostgreSQL is missing") }
        return Ends(direction: direction, directory: directory, address: address)
    }

    private static func isURL(_ text: String) -> Bool {
        text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
    }

    private static func blobs(
        _ data: String?, _ flags: [String: String], _ environment: [String: String], besides directory: String
    ) throws(CommandError) -> StoreMove.Blobs {
        let bucket = try BucketConfiguration(ResolvedSettings(flags, environment))
        switch (bucket, data) {
        case (let bucket?, nil):
            let clock = SystemClock()
            let log = StandardErrorLog(clock: clock)
            return .bucket(bucket.makeClient(environment: environment, clock: clock, log: log))
        case (nil, let data?) where !data.isEmpty && data != directory: return .directory(data)
        case (nil, _?):
            throw .usage("--data must be the data directory of the installation on PostgreSQL, not that of SQLite")
        default:
            throw .usage(
                "give either --blobs (or LARDER_BLOBS), the bucket of the installation on PostgreSQL, or --data, its "
                    + "data directory with the archives")
        }
    }

    private static func move(
        _ ends: Ends, _ blobs: StoreMove.Blobs, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let meter = Mutex(ProgressMeter(label: name))
        let report: MoveReport
        do throws(PlatformError) {
            let move = StoreMove(
                of: ends.directory, and: ends.address, blobs: blobs, cryptography: OpenSSLCryptography(),
                dialects: DialectList(allDialects()), now: SystemClock().now()
            ) { (descriptor, size) throws(PlatformError) in
                try SHA256Hasher.digest(of: descriptor, size: size)
            }
            report = try move.run(ends.direction) { done, all in meter.withLock { $0.show(done, of: all) } }
        } catch {
            meter.withLock { $0.finish() }
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        }
        meter.withLock { $0.finish() }
        show(report, asJSON: asJSON)
        return report.isComplete ? .success : .refused
    }

    private static func show(_ report: MoveReport, asJSON: Bool) {
        guard !asJSON else { return Terminal.out(json(report).text) }
        DoctorCommand.list(report.examination)
        Terminal.out(
            "archives and files: \(report.blobs) (\(ByteCount.text(report.bytes))), copied: \(report.copiedBlobs) "
                + "(\(ByteCount.text(report.copiedBytes))); rows: \(report.rows)")
        Terminal.out(report.isComplete ? "move complete" : "move NOT complete; the source is intact")
    }

    private static func json(_ report: MoveReport) -> JSON {
        let examination = report.examination
        return .object([
            "complete": .bool(report.isComplete), "blobs": .integer(Int64(report.blobs)),
            "bytes": .integer(Int64(report.bytes)), "copiedBlobs": .integer(Int64(report.copiedBlobs)),
            "copiedBytes": .integer(Int64(report.copiedBytes)), "rows": .integer(Int64(report.rows)),
            "findingCount": .integer(Int64(examination.findingCount)),
            "findings": .array(examination.findings.map(\.json)),
            "notes": .array(examination.notes.map { .string($0) }),
        ])
    }
}
