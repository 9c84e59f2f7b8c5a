import Client
import Domain

/// `larder lint`: looks a package over before it is published.
enum LintCommand: Command {
    static let name = "lint"
    static let summary = "look a folder or a zip over before it is published"
    static let help = """
        usage: larder lint DIR|ZIP [OPTION …]

        Checks the built pages as a server would get them from 'larder publish', without asking one: the entry page,
        references to files that are not there, source maps, secrets, sizes, names and more. docs/lint.md says what to
        do about each.

          --entry PATH       the page that opens first (default index.html)
          --no-entry         the package has no pages of its own
          --url-prefix PATH  the online URL path of the package (default /)
          --json             print one JSON object

        Exit status: 0 nothing, or warnings alone; 1 it could not be read; 2 errors, or no package at all; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(arguments, valued: ["--entry", "--url-prefix"], flags: ["--json", "--no-entry"])
        guard parsed.positional.count == 1, let path = parsed.positional.first else {
            throw .usage("name one folder or zip to look at")
        }
        guard let urlPrefix = URLPrefix(parsed["--url-prefix"] ?? "/") else {
            throw .usage("--url-prefix must be an absolute URL path, such as /news/")
        }
        let report: LintReport
        switch PackageLinter(entry: try entry(parsed), urlPrefix: urlPrefix).lint(path) {
        case .checked(let findings): report = LintReport(findings)
        case .refused(let error): report = LintReport(refusal: error)
        case .unusable(let message): throw .failure(message)
        }
        report.show(asJSON: parsed.has("--json"))
        return report.errors == 0 ? .success : .refused
    }

    private static func entry(_ parsed: Arguments) throws(CommandError) -> TreePath? {
        if parsed.has("--no-entry") {
            guard parsed["--entry"] == nil else { throw .usage("--entry and --no-entry exclude each other") }
            return nil
        }
        guard let text = parsed["--entry"] else { return .index }
        do throws(TreePath.Fault) { return try TreePath(text) } catch {
            throw .usage("--entry must be a path in the package, such as index.html")
        }
    }
}
