import Client
import Domain
import Ground
import HTTP
import Transport

/// The command `larder publish`, which uploads a version.
enum PublishCommand: Command {
    static let name = "publish"
    static let summary = "publish a folder or a zip as a version of a package"
    static let about = """
        Uploads the built pages as a version of an existing package. Publishing alone changes nothing on devices:
        'larder release' offers the version to them. A version never changes: publishing the same content again succeeds
        without an effect; other content under the same version is refused.

        In a folder with a larder.json ('larder init') no option is needed: the file names the package and the folder to
        publish, the files to leave out, budgets and accepted warnings (docs/cli.md).

        A zip over 8 MB is uploaded in parts. If the connection breaks, the upload continues where it stopped; it is
        given up after about a minute and a half without progress. After that, or after Ctrl-C, the same command
        continues it within a day. The proxies in HTTPS_PROXY, http_proxy and ALL_PROXY are used, except for the hosts in
        NO_PROXY and for this machine. docs/ci.md describes the use in a CI.
        """
    static let ending =
        "Exit status: 0 published, or published already; 1 the server could not be reached or failed; 2 the server "
        + "refused the version; 3 with --warnings-exit, published with warnings; 64 wrong usage."

    private static let version = Parameter<String?>.option(
        "--version", "VERSION", "the version string, such as 1.2.0 (default: that of larder.json or package.json)"
    ).map { text throws(CommandError) in
        guard let text else {
            if let version = try Project.current()?.version { return version }
            throw .usage(
                "--version is missing: the version string, which larder.json or the package.json beside it may also give"
            )
        }
        guard let version = VersionString(text) else {
            throw .usage("--version must be a version string: \(VersionString.shape)")
        }
        return version
    }

    private static let unwrapping = Parameter<String?>.option(
        "--unwrap", "0|1",
        "1: remove the single top folder of the zip; 0: keep it (default: remove it if the entry page is in it)"
    ).map { text throws(CommandError) -> UploadArrangement.Unwrapping? in
        switch text {
        case nil: return nil
        case "1": return .always
        case "0": return .never
        default: throw .usage("--unwrap must be 1 or 0")
        }
    }

    private static let acceptsExisting = Parameter<String?>.option(
        "--if-exists", "ok", "succeed without an effect if the version exists already, whatever its content"
    ).map { text throws(CommandError) in
        guard text == nil || text == "ok" else { throw .usage("--if-exists must be ok, or left out") }
        return text != nil
    }

    /// The details of the version; an empty text counts as missing, since pipelines pass unset variables.
    private static let details = Parameter<(String?, String?, String?)>(
        .option("--notes", "TEXT", "release notes for people, at most 2,000 bytes"),
        .option("--commit", "SHA", "the commit that the version was built from"),
        .option("--author", "TEXT", "the author of the version")
    ).map { notes, commit, author throws(CommandError) in
        func filled(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        do throws(VersionDetails.Fault) {
            return try VersionDetails(notes: filled(notes), commit: filled(commit), author: filled(author))
        } catch {
            throw .usage("--\(error.rawValue) must be \(error.expected)")
        }
    }

    private static let requirements = Parameter<(String?, String?, String?, String?)>(
        .option("--min-app-version", "VERSION", "the lowest version of the host app that can use it"),
        .option("--max-app-version", "VERSION", "the highest version of the host app that can use it"),
        .option("--apis", "NAME,…", "the native APIs that the host app must have"),
        .option(
            "--needs", "'ID RANGE;…'",
            "the other packages that the version depends on, such as 'common >=7; charts ^2'")
    ).map { minimum, maximum, apis, needs throws(CommandError) in
        let project = try Project.current()
        do throws(VersionRequirements.Fault) {
            return try VersionRequirements(
                minAppVersion: minimum ?? project?.minAppVersion, maxAppVersion: maximum ?? project?.maxAppVersion,
                apis: apis ?? project?.apis, needs: needs ?? project?.needs)
        } catch {
            throw .usage("--\(error.option) must be \(error.expected)")
        }
    }

    private static let upload = Parameter(
        .package, version, .app, unwrapping, details, requirements, acceptsExisting,
        .flag("--dry-run", "let the server check and pack the upload, but store nothing")
    ).map { package, version, app, unwrapping, details, requirements, acceptsExisting, isDryRun throws(CommandError) in
        var upload = PackageUploader.Upload(app: app, package: package, version: version)
        if let unwrapping { upload.unwrapping = unwrapping }
        upload.details = details
        upload.requirements = requirements
        upload.acceptsExisting = acceptsExisting
        upload.isDryRun = isDryRun
        return upload
    }

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operands("[DIR|ZIP]", upTo: 1), upload,
                    .flag("--wait", "wait until the version can be released, also from other nodes of the server"),
                    .reports, .server, .form),
                route: "POST /apps/{app}/packages/{package}/versions"
            ) { paths, upload, isWaiting, reports, client, form throws(CommandError) in
                let project = try Project.current()
                guard let path = paths.first ?? project?.folder else {
                    throw .usage("the folder or zip to publish is missing; 'larder init' stores it in a project")
                }
                func send(_ path: String) throws(CommandError) -> Publication {
                    try publish(path, upload, client, ProgressMeter(label: "uploading", isQuiet: form == .quiet))
                }
                let version = if let project { try project.staged(path, send) } else { try send(path) }
                if isWaiting, !upload.isDryRun { try wait(for: upload, client) }
                let report = PublishReport(
                    subject: subject(of: upload), version: version.json, outcome: version.outcome,
                    waivers: project?.waivers ?? [])
                switch form {
                case .json: Terminal.out(version.json.text)
                case .quiet: Terminal.out(upload.version.text)
                case .text: for line in report.lines { Terminal.out(line) }
                }
                let findings = report.warnings.map(ReportedFinding.init(warning:))
                try reports.write(
                    findings, in: LocalFile.isFolder(path) ? path : nil, title: report.title, facts: report.facts)
                return reports.exitCode(findings)
            }
        ]
    }

    private static func subject(of upload: PackageUploader.Upload) -> String { "\(upload.package) \(upload.version)" }

    /// A version that the server has, and how it came to that.
    private struct Publication {
        let json: JSON
        let outcome: PublishReport.Outcome
    }

    private static func publish(
        _ path: String, _ upload: PackageUploader.Upload, _ client: OperatorsClient, _ meter: ProgressMeter
    ) throws(CommandError) -> Publication {
        Interruption.watch { left(meter.progress) }
        let memory = ProfileFile.folder("XDG_STATE_HOME", ".local/state", Environment.all).map {
            UploadMemory(folder: "\($0)/uploads")
        }
        let outcome = PackageUploader(client, remembering: memory).upload(path, as: upload) { meter.show($0, of: $1) }
        meter.finish()
        switch outcome {
        case .published(let version): return Publication(json: version, outcome: .published)
        case .unchanged(let version): return Publication(json: version, outcome: .unchanged)
        case .exists(let version): return Publication(json: version, outcome: .exists)
        case .possible(let version): return Publication(json: version, outcome: .possible)
        case .refused(let problem):
            let entry = problem.entry.map { " [\(ShownText.of($0.utf8, upTo: 1_024))]" } ?? ""
            let detail = ShownText.of(CommandTable.namingVerbs(in: problem.detail).utf8, upTo: 2_000)
            throw .serverProblem(problem, "\(subject(of: upload)) was refused: \(detail)\(entry)")
        case .failed(let error): throw .failure(error.description)
        case .unusable(let message): throw .failure(message)
        }
    }

    /// The pause between two looks at a version, and their number.
    private static let pause = Duration.seconds(1)
    private static let looks = 120

    /// Waits until the server shows the version as one that can be released.
    private static func wait(
        for upload: PackageUploader.Upload, _ client: OperatorsClient
    ) throws(CommandError) {
        let path =
            "/apps/\(upload.app)/packages/\(upload.package)/versions/\(PercentEncoding.encode(upload.version.text.utf8))"
        for look in 1...looks {
            let version: JSON
            do throws(OperatorsError) { version = try client.call(.get, path).body } catch {
                guard case .refused(let problem) = error, problem.status == 404, look < looks else {
                    throw .failure(CommandTable.namingVerbs(in: error.description))
                }
                SystemClientClock().sleep(for: pause)
                continue
            }
            guard version["retired"] == nil else {
                throw .refused("\(subject(of: upload)) is retired and cannot be released")
            }
            return
        }
    }

    /// Returns what is left after an interruption.
    private static func left(_ progress: (done: Int, all: Int)?) -> String {
        guard let (done, all) = progress else { return "\ninterrupted: nothing was uploaded" }
        return
            "\ninterrupted after \(ByteCount.text(done)) of \(ByteCount.text(all)): run the same command again; a zip over "
            + "8 MB then continues where it stopped, and a version that is published already stays as it is"
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
