import Client
import Domain

/// The command `larder lint`, which checks a package before it is published.
enum LintCommand: Command {
    static let name = "lint"
    static let summary = "check a folder or a zip before it is published"
    static let about = """
        Checks the built pages as the server does when 'larder publish' uploads them, but without a server: the entry
        page, references to missing files, source maps, secrets, sizes, names and more. docs/lint.md describes what to
        do about each finding. A larder.json in the current folder gives the defaults ('larder init').
        """
    static let ending =
        "Exit status: 0 no findings, or only warnings; 1 the folder or zip could not be read; 2 errors, or not a valid "
        + "package; 3 with --warnings-exit, warnings; 64 wrong usage."

    private static let entry = Parameter<(String?, Bool)>(
        .option("--entry", "PATH", "the entry page, which opens first (default index.html)"),
        .flag("--no-entry", "the package has no entry page")
    ).map { text, isNone throws(CommandError) -> TreePath? in
        guard !isNone else {
            guard text == nil else { throw .usage("--entry and --no-entry cannot be given together") }
            return nil
        }
        guard let text else { return try Project.current()?.entry ?? .index }
        do throws(TreePath.Fault) { return try TreePath(text) } catch {
            throw .usage("--entry must be a relative path in the package, such as index.html")
        }
    }

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operands("[DIR|ZIP]", upTo: 1), entry,
                    .option("--url-prefix", "PATH", "the URL path of the package on the network (default /)"),
                    .reports, .flag("--json", "print one JSON object"))
            ) { paths, entry, prefix, reports, isJSON throws(CommandError) in
                let project = try Project.current()
                guard let path = paths.first ?? project?.folder else {
                    throw .usage("the folder or zip to check is missing; 'larder init' stores it in a project")
                }
                guard let urlPrefix = prefix.map({ URLPrefix($0) }) ?? project?.urlPrefix ?? URLPrefix("/") else {
                    throw .usage("--url-prefix must be an absolute URL path, such as /news/")
                }
                let linter = PackageLinter(entry: entry, urlPrefix: urlPrefix)
                let waivers = project?.waivers ?? []
                let report =
                    if let project {
                        try project.staged(path) { path throws(CommandError) in try lint(path, linter, waivers) }
                    } else {
                        try lint(path, linter, waivers)
                    }
                report.show(asJSON: isJSON)
                try reports.write(
                    report.findings, in: LocalFile.isFolder(path) ? path : nil, title: "Checked \(path)",
                    facts: [
                        ("errors", String(report.errors)), ("warnings", String(report.findings.count - report.errors)),
                    ])
                return report.errors == 0 ? reports.exitCode(report.findings) : .refused
            }
        ]
    }

    private static func lint(
        _ path: String, _ linter: PackageLinter, _ waivers: [Project.Waiver]
    ) throws(CommandError) -> LintReport {
        switch linter.lint(path) {
        case .checked(let findings):
            LintReport(
                findings.filter { finding in
                    finding.severity == .error
                        || !waivers.contains { $0.covers(finding.code.rawValue, finding.path?.text) }
                })
        case .refused(let error): LintReport(refusal: error)
        case .unusable(let message): throw .failure(message)
        }
    }
}
