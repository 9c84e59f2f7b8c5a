import Client
import Domain

/// `larder publish`: uploads a version.
enum PublishCommand: Command {
    static let name = "publish"
    static let summary = "publish a folder or a zip as a version of a package"
    static let help = """
        usage: larder publish DIR|ZIP --package ID --version VERSION [OPTION …]

        Uploads the built pages as a version. A version never changes: publishing the same content again is fine and
        changes nothing, other content under the same version is refused. A zip over 8 MB goes in parts: where the
        connection breaks, the upload goes on where it stopped, for about a minute and a half without a byte more.

          --package ID       the package
          --version VERSION  the version string, such as 1.2.0
          --app APP          the app (default 'default')
          --unwrap 0|1       whether a single top folder of the zip is taken off; by default if the entry page lies
                             in it
          --notes TEXT       what is new, for people; 2,000 bytes at most
          --commit SHA       the commit that it was built from
          --author TEXT      who made it
          --min-app-version VERSION, --max-app-version VERSION
                             the host-app versions that it can live in
          --apis NAME,…      native APIs that the host app must have
          --needs 'ID RANGE;…'
                             other packages that it needs, such as 'common >=7; charts ^2'
          --if-exists ok     a version that is there already is fine, whatever it holds; nothing changes
          --dry-run          have the server check and pack it, and keep nothing
        \(ServerOptions.help)
          --json             print the server's answer as JSON

        Exit status: 0 published, or there already; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments,
            valued: ServerOptions.valued.union([
                "--package", "--version", "--app", "--unwrap", "--notes", "--commit", "--author", "--if-exists",
                "--min-app-version", "--max-app-version", "--apis", "--needs",
            ]),
            flags: ["--json", "--dry-run"])
        guard parsed.positional.count == 1, let path = parsed.positional.first else {
            throw .usage("name one folder or zip to publish")
        }
        let upload = try upload(parsed)
        let uploader = PackageUploader(try ServerOptions(parsed).client())
        let meter = ProgressMeter(label: "uploading")
        let outcome = uploader.upload(path, as: upload) { meter.show($0, of: $1) }
        meter.finish()
        return try report(outcome, of: upload, asJSON: parsed.has("--json"))
    }

    private static func upload(_ parsed: Arguments) throws(CommandError) -> PackageUploader.Upload {
        guard let package = parsed["--package"].flatMap(PackageID.init) else {
            throw .usage("--package must be a package id: \(PackageID.shape)")
        }
        guard let version = parsed["--version"].flatMap(VersionString.init) else {
            throw .usage("--version must be a version string: \(VersionString.shape)")
        }
        guard let app = AppID(parsed["--app"] ?? AppID.default.text) else {
            throw .usage("--app must be an app id: \(AppID.shape)")
        }
        var upload = PackageUploader.Upload(app: app, package: package, version: version)
        switch parsed["--unwrap"] {
        case nil: break
        case "1": upload.unwrapping = .always
        case "0": upload.unwrapping = .never
        default: throw .usage("--unwrap is 1 or 0")
        }
        upload.details = try details(parsed)
        upload.requirements = try requirements(parsed)
        switch parsed["--if-exists"] {
        case nil: break
        case "ok": upload.acceptsExisting = true
        default: throw .usage("--if-exists is ok, or left out")
        }
        upload.isDryRun = parsed.has("--dry-run")
        return upload
    }

    /// An empty text is none: a pipeline's variable that is not set.
    private static func details(_ parsed: Arguments) throws(CommandError) -> VersionDetails {
        func text(_ option: String) -> String? { parsed[option].flatMap { $0.isEmpty ? nil : $0 } }
        do throws(VersionDetails.Fault) {
            return try VersionDetails(notes: text("--notes"), commit: text("--commit"), author: text("--author"))
        } catch {
            throw .usage("--\(error.rawValue) must be \(error.expected)")
        }
    }

    private static func requirements(_ parsed: Arguments) throws(CommandError) -> VersionRequirements {
        do throws(VersionRequirements.Fault) {
            return try VersionRequirements(
                minAppVersion: parsed["--min-app-version"], maxAppVersion: parsed["--max-app-version"],
                apis: parsed["--apis"], needs: parsed["--needs"])
        } catch {
            throw .usage("--\(error.option) must be \(error.expected)")
        }
    }

    private static func report(
        _ outcome: PackageUploader.Outcome, of upload: PackageUploader.Upload, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let subject = "\(upload.package) \(upload.version)"
        func show(_ version: JSON, _ outcome: PublishReport.Outcome) -> ExitCode {
            let lines = PublishReport(subject: subject, version: version).lines(of: outcome)
            for line in asJSON ? [version.text] : lines { Terminal.out(line) }
            return .success
        }
        switch outcome {
        case .published(let version): return show(version, .published)
        case .unchanged(let version): return show(version, .unchanged)
        case .exists(let version): return show(version, .exists)
        case .possible(let version): return show(version, .possible)
        case .refused(let problem):
            let entry = problem.entry.map { " [\(ShownText.of($0.utf8, upTo: 1_024))]" } ?? ""
            let detail = ShownText.of(problem.detail.utf8, upTo: 2_000)
            throw .answered(problem, "\(subject) was refused: \(detail)\(entry)")
        case .failed(let error): throw .failure(error.description)
        case .unusable(let message): throw .failure(message)
        }
    }
}

extension VersionRequirements.Fault {
    fileprivate var option: String {
        switch self {
        case .minAppVersion: "min-app-version"
        case .maxAppVersion: "max-app-version"
        case .apis: "apis"
        case .needs: "needs"
        }
    }
}
