import Artifacts
import Dialects
import Domain
import Glibc
import Ground
import Store

/// The command `larder doctor`, which checks a stopped server's data.
enum DoctorCommand: Command {
    static let name = "doctor"
    static let summary = "check the data of a stopped server"
    static let about = """
        Checks the data of a stopped server: the database (with --database neither its pages nor its foreign keys),
        every reference, the size and the SHA-256 of every blob, the tree hash of every version, the signatures, and the
        chain of audit entries. It changes nothing. docs/operations.md describes what to do about each finding. With --blobs, it looks up every
        blob in the bucket and compares only the sizes.

        Without --database and --database-password-file, LARDER_DATABASE and LARDER_DATABASE_PASSWORD_FILE apply: a URL
        on the command line can be read by every account of the machine.
        """
    static let ending =
        "Exit status: 0 no findings; 1 the check could not run, for example because a server uses the directory; "
        + "2 findings; 64 wrong usage."

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .required("--data", "DIR", "the data directory, which 'larder serve' has as --data"),
                    .option("--database", "URL", DatabaseSource.urlHelp),
                    .option("--database-password-file", "PATH", DatabaseSource.passwordHelp),
                    .options(BucketConfiguration.bucketSettings.map(\.shape)),
                    .flag("--json", "print one JSON object"))
            ) { path, url, password, flags, isJSON throws(CommandError) in
                let address = try DatabaseSource.address(url, passwordFile: password, Environment.all)
                return try examine(path, address, flags, asJSON: isJSON)
            }
        ]
    }

    private static func examine(
        _ path: String, _ address: PostgreSQLAddress?, _ flags: [String: String], asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        guard !path.isEmpty else { throw .usage("--data must not be empty: give the data directory") }
        // Opening a data directory would create a missing one.
        guard address != nil || !DataDirectory.isBound(path) else {
            throw .failure(DataDirectory.metadataElsewhere(path).message)
        }
        let environment = Environment.all
        let bucket = try BucketConfiguration(ResolvedSettings(flags, environment))
        let content = address == nil ? "larder.sqlite" : bucket == nil ? "blobs" : "blobs.location"
        guard access("\(path)/\(content)", F_OK) == 0 else {
            throw .failure("\(path) contains no \(content): give the directory that 'larder serve' has as --data")
        }
        let clock = SystemClock()
        let client = bucket?.makeClient(
            environment: environment, clock: clock, log: StandardErrorLog(clock: clock))
        let examination: Examination
        do throws(PlatformError) {
            let directory = try DataDirectory(
                path, at: clock.now(), for: address == nil ? .serving : .servingWithExternalMetadata)
            let examiner = StoreExaminer(
                directory, address: address, cryptography: OpenSSLCryptography(), dialects: DialectList(allDialects()),
                bucket: client
            ) { (descriptor, size) throws(PlatformError) in
                try SHA256Hasher.digest(of: descriptor, size: size)
            }
            examination = try examiner.examine()
        } catch {
            throw .failure(error.cause.map { "\(error.message) (\($0))" } ?? error.message)
        }
        show(examination, asJSON: asJSON)
        return examination.isSound ? .success : .refused
    }

    /// Prints the findings and notes of an examination.
    static func list(_ examination: Examination) {
        for finding in examination.findings {
            Terminal.out("\(finding.code.rawValue) \(finding.subject): \(finding.message)")
        }
        let unlisted = examination.findingCount - examination.findings.count
        if unlisted > 0 { Terminal.out("… and \(unlisted) more") }
        for note in examination.notes { Terminal.out("note: \(note)") }
    }

    private static func show(_ examination: Examination, asJSON: Bool) {
        guard !asJSON else { return Terminal.out(json(examination).text) }
        list(examination)
        Terminal.out(
            "checked blobs: \(examination.blobs) (\(ByteCount.text(examination.bytes))), versions: "
                + "\(examination.versions), archives and patches: \(examination.artifacts), signatures: "
                + "\(examination.signatures)")
        Terminal.out(examination.isSound ? "sound" : "findings: \(examination.findingCount)")
    }

    private static func json(_ examination: Examination) -> JSON {
        .object([
            "sound": .bool(examination.isSound), "findingCount": .integer(Int64(examination.findingCount)),
            "findings": .array(examination.findings.map(\.json)),
            "notes": .array(examination.notes.map { .string($0) }),
            "checked": .object([
                "blobs": .integer(Int64(examination.blobs)), "bytes": .integer(Int64(examination.bytes)),
                "versions": .integer(Int64(examination.versions)),
                "archives": .integer(Int64(examination.artifacts)),
                "signatures": .integer(Int64(examination.signatures)),
            ]),
        ])
    }
}
