import Client
import Domain
import Ground

/// The command `larder init`, which makes the folder of a front-end project ready for `larder publish`.
enum InitCommand: Command {
    static let name = "init"
    static let summary = "write larder.json, so that 'larder publish' needs no option in a project"
    static let about = """
        Writes larder.json into the current folder: the package, the app, the folder with the built pages, files to
        ignore, budgets, and accepted warnings. docs/cli.md describes its members. The package is named by package.json
        or the folder unless --package names it, and the version of each publishing is that of package.json or
        --version.
        """
    static let ending = "Exit status: 0 success; 1 the file could not be written; 2 it exists; 64 wrong usage."

    /// The folders to which common tools build, in the order of preference.
    private static let outputs = ["dist", "build", "out", "public", "www"]
    private static let limit = 1 << 20

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    .option(
                        "--package", "ID", "the id of the package (default: the name in package.json, or the folder's)"),
                    .option("--app", "ID", "the id of the app (default: none is written)"),
                    .option(
                        "--folder", "DIR",
                        "the folder with the built pages (default: the first of \(outputs.joined(separator: ", ")) with an "
                            + "index.html, or else \(outputs[0]))"),
                    .option("--entry", "PATH", "the entry page (default: index.html, which is not written)"),
                    .flag("--print", "print the file instead of writing it"),
                    .flag("--force", "replace an existing file"),
                    .flag("--json", "print what was written as one JSON object"))
            ) { package, app, folder, entry, isPrinting, isForced, isJSON throws(CommandError) in
                guard !isPrinting || !isJSON else { throw .usage("give --print or --json, not both") }
                let json = try content(package, app, folder, entry)
                guard !isPrinting else {
                    Terminal.out(json.indented)
                    return .success
                }
                try write(json, isForced)
                Terminal.out(
                    isJSON
                        ? json.text
                        : "wrote \(Project.file) for the package '\(OperatorCall.text(json["package"]))'; "
                            + "'larder publish' uploads \(OperatorCall.text(json["folder"]))")
                return .success
            }
        ]
    }

    private static func content(
        _ package: String?, _ app: String?, _ folder: String?, _ entry: String?
    ) throws(CommandError) -> JSON {
        guard let id = PackageID(package ?? guess()) else {
            throw .usage(
                package == nil
                    ? "neither package.json nor the folder has a name that is a package id; give --package"
                    : "--package must be a package id: \(PackageID.shape)")
        }
        if let app, AppID(app) == nil { throw .usage("--app must be an app id: \(AppID.shape)") }
        if let entry, (try? TreePath(entry)) == nil { throw .usage("--entry must be a relative path in the package") }
        return .object([
            "app": app.map { .string($0) }, "package": .string(id.text),
            "folder": .string(folder ?? outputs.first(where: hasPages) ?? outputs[0]),
            "entry": entry.map { .string($0) },
            "ignore": .array(["**/*.map", ".git/**", "node_modules/**", "**/.env*"]),
            "budgets": .object([JSON.Member]()), "waivers": .array([]),
        ])
    }

    /// Returns whether a folder has built pages; the static sources of many tools have no start page.
    private static func hasPages(_ folder: String) -> Bool {
        LocalFile.isFolder(folder) && (try? LocalFile.read("\(folder)/index.html", upTo: limit)) != nil
    }

    /// Returns the name of the project without a scope.
    private static func guess() -> String {
        let bytes = try? LocalFile.read("package.json", upTo: limit)
        let name = bytes.flatMap { JSON(parsing: $0)?["name"]?.string } ?? Environment.all["PWD"] ?? ""
        return name.split(separator: "/").last.map(String.init) ?? ""
    }

    private static func write(_ json: JSON, _ isForced: Bool) throws(CommandError) {
        do throws(FileFailure) {
            let former = isForced ? nil : try LocalFile.read(Project.file, upTo: limit)
            if former == nil {
                return try LocalFile.replace(Project.file, with: Array((json.indented + "\n").utf8))
            }
        } catch {
            throw .failure(error.description)
        }
        throw .refused("\(Project.file) exists already; --force replaces it")
    }
}

extension JSON {
    /// The value with a line for each member of the outermost object.
    fileprivate var indented: String {
        let lines = (members ?? []).map { "  \(JSON.string($0.key).text): \($0.value.text)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }
}
