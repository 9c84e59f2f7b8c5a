import Client
import Domain

/// The command `larder lint`, which checks a package before it is published.
enum LintCommand: Command {
    static let name = "lint"
    static let summary = "look a folder or a zip over before it is published"
    static let about = """
        Checks the built pages as a server would get them from 'larder publish', without asking one: the entry page,
        references to files that are not there, source maps, secrets, sizes, names and more. docs/lint.md says what to
        do about each.
        """
    static let ending =
        "Exit status: 0 nothing, or warnings alone; 1 it could not be read; 2 errors, or no package at all; 64 wrong use."

    private static let entry = Parameter<(String?, Bool)>(
        .option("--entry", "PATH", "the page that opens first (default index.html)"),
        .flag("--no-entry", "the package has no pages of its own")
    ).map { text, isNone throws(CommandError) -> TreePath? in
        guard !isNone else {
            guard text == nil else { throw .usage("--entry and --no-entry exclude each other") }
            return nil
        }
        guard let text else { return .index }
        do throws(TreePath.Fault) { return try TreePath(text) } catch {
            throw .usage("--entry must be a path in the package, such as index.html")
        }
    }

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .operand("DIR|ZIP", "name one folder or zip to look at"), entry,
                    .option("--url-prefix", "PATH", "the online URL path of the package (default /)"),
                    .flag("--json", "print one JSON object"))
            ) { path, entry, prefix, isJSON throws(CommandError) in
                guard let urlPrefix = URLPrefix(prefix ?? "/") else {
                    throw .usage("--url-prefix must be an absolute URL path, such as /news/")
                }
                let report: LintReport
                switch PackageLinter(entry: entry, urlPrefix: urlPrefix).lint(path) {
                case .checked(let findings): report = LintReport(findings)
                case .refused(let error): report = LintReport(refusal: error)
                case .unusable(let message): throw .failure(message)
                }
                report.show(asJSON: isJSON)
                return report.errors == 0 ? .success : .refused
            }
        ]
    }
}
