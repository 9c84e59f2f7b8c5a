import Client
import Domain
import Ground

/// The settings of a front-end project: `larder.json` in the folder where a command runs.
///
/// An upload may have a `larder.json` as well, which contains only `resources`. A file without other members is that of
/// an upload, and no project (decision 0084).
struct Project: Sendable {
    private(set) var app: AppID?
    private(set) var package: PackageID?
    private(set) var version: VersionString?
    /// The folder or zip that is published, relative to the project.
    private(set) var folder = "."
    /// The entry page; `.some(nil)` for none, `nil` if the file does not say.
    private(set) var entry: TreePath??
    private(set) var urlPrefix: URLPrefix?
    private(set) var minAppVersion: String?
    private(set) var maxAppVersion: String?
    private(set) var apis: String?
    private(set) var needs: String?
    private(set) var ignored: [PathGlob] = []
    private(set) var budgets = Budgets()
    private(set) var waivers: [Waiver] = []
    /// The settings of the upload's own `larder.json`.
    private(set) var resources: JSON?

    /// The limits on what is published; `nil` for none.
    struct Budgets: Sendable {
        var files: Int?
        var bytes: Int?
        var fileBytes: Int?
    }

    /// A warning of the linter that is accepted.
    struct Waiver: Sendable {
        let code: String
        /// The files; `nil` for every file and for none.
        let path: PathGlob?

        func covers(_ code: String, _ path: String?) -> Bool {
            guard code == self.code, let pattern = self.path else { return code == self.code }
            return path.flatMap { try? TreePath($0) }.map(pattern.matches) ?? false
        }
    }

    /// The name of the file.
    static let file = TreePath.ownSettings.text
    private static let limit = UploadSettings.maximumBytes
    static let members = [
        "app", "package", "version", "folder", "entry", "urlPrefix", "minAppVersion", "maxAppVersion", "apis", "needs",
        "ignore", "budgets", "waivers", "resources",
    ]

    /// Returns the project in the current folder; `nil` if there is none.
    static func current() throws(CommandError) -> Project? {
        guard let bytes = try read(file) else { return nil }
        guard let json = JSON(parsing: bytes), json.members != nil else {
            throw .usage("\(file) in this folder is no JSON object")
        }
        return isProject(json) ? try Project(json) : nil
    }

    private static func read(_ path: String) throws(CommandError) -> [UInt8]? {
        do throws(FileFailure) { return try LocalFile.read(path, upTo: limit) } catch { throw .failure("\(error)") }
    }

    private static func isProject(_ json: JSON) -> Bool {
        json.members?.contains { $0.key != "resources" } ?? false
    }

    private init(_ json: JSON) throws(CommandError) {
        for member in json.members ?? [] { try take(member) }
        if version == nil { version = try Self.packageVersion() }
    }

    /// Returns the version in the `package.json` beside the project's file.
    private static func packageVersion() throws(CommandError) -> VersionString? {
        try read("package.json").flatMap { JSON(parsing: $0)?["version"]?.string }.flatMap { VersionString($0) }
    }

    private mutating func take(_ member: JSON.Member) throws(CommandError) {
        let (name, value) = (member.key, member.value)
        switch name {
        case "app": app = try Self.read(value, name, AppID.shape) { $0.string.flatMap(AppID.init) }
        case "package": package = try Self.read(value, name, PackageID.shape) { $0.string.flatMap(PackageID.init) }
        case "version":
            version = try Self.read(value, name, VersionString.shape) { $0.string.flatMap { VersionString($0) } }
        case "folder": folder = try Self.read(value, name, "a path", \.string)
        case "entry":
            entry = try Self.read(value, name, "a path in the package, or null") { value -> TreePath?? in
                value == .null ? .some(nil) : value.string.flatMap { try? TreePath($0) }.map { .some($0) }
            }
        case "urlPrefix":
            urlPrefix = try Self.read(value, name, "an absolute URL path") { $0.string.flatMap(URLPrefix.init) }
        case "minAppVersion": minAppVersion = try Self.read(value, name, "a text", \.string)
        case "maxAppVersion": maxAppVersion = try Self.read(value, name, "a text", \.string)
        case "apis": apis = try Self.texts(value, name).joined(separator: ",")
        case "needs": needs = try Self.read(value, name, "a text such as \"common >=7\"", \.string)
        case "ignore":
            ignored = try Self.texts(value, name).map { (text) throws(CommandError) in
                guard let glob = PathGlob(text) else { throw Self.wrong("ignore", "patterns such as **/*.map") }
                return glob
            }
        case "budgets": budgets = try Self.budgets(value)
        case "waivers": waivers = try Self.waivers(value)
        case "resources": resources = value
        default:
            let hint = Suggestion.closest(to: name, in: Self.members).map { " Did you mean '\($0)'?" } ?? ""
            throw .usage(
                "\(Self.file) has the unknown member '\(ShownText.of(name.utf8))'; known are "
                    + "\(Self.members.joined(separator: ", ")).\(hint)")
        }
    }

    private static func wrong(_ member: String, _ shape: String) -> CommandError {
        .usage("'\(member)' in \(file) must be \(shape)")
    }

    private static func read<Result>(
        _ value: JSON, _ member: String, _ shape: String, _ body: (JSON) -> Result?
    ) throws(CommandError) -> Result {
        guard let result = body(value) else { throw wrong(member, shape) }
        return result
    }

    private static func texts(_ value: JSON, _ member: String) throws(CommandError) -> [String] {
        let texts = value.elements?.compactMap(\.string)
        guard let texts, texts.count == value.elements?.count else { throw wrong(member, "a list of texts") }
        return texts
    }

    private static func budgets(_ value: JSON) throws(CommandError) -> Budgets {
        var budgets = Budgets()
        guard let members = value.members else { throw wrong("budgets", "an object") }
        for member in members {
            guard let number = member.value.integer.flatMap({ Int(exactly: $0) }), number > 0 else {
                throw wrong("budgets.\(member.key)", "a whole number above 0")
            }
            switch member.key {
            case "files": budgets.files = number
            case "bytes": budgets.bytes = number
            case "fileBytes": budgets.fileBytes = number
            default: throw wrong("budgets", "an object with files, bytes and fileBytes")
            }
        }
        return budgets
    }

    private static func waivers(_ value: JSON) throws(CommandError) -> [Waiver] {
        let shape = "a list of {\"code\", \"path\", \"reason\"}, of which path may be missing"
        guard let elements = value.elements else { throw wrong("waivers", shape) }
        return try elements.map { (element) throws(CommandError) in
            let members = element.members ?? []
            let path = element["path"]?.string.flatMap(PathGlob.init)
            guard members.allSatisfy({ ["code", "path", "reason"].contains($0.key) }),
                let code = element["code"]?.string, element["reason"]?.string?.isEmpty == false,
                (path == nil) == (element["path"] == nil)
            else { throw wrong("waivers", shape) }
            return Waiver(code: code, path: path)
        }
    }

    // MARK: Folders

    /// Runs a step with the folder as it is published: without ignored files, within the budgets, and with a `larder.json`
    /// that contains only the settings of the upload.
    func staged<Result>(
        _ path: String, _ body: (String) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        // A zip, or nothing: the next step reports it. Whatever vanishes later is an error, since ignored files would be
        // uploaded otherwise.
        guard LocalFile.isFolder(path) else { return try body(path) }
        let staged: StagedFolder
        do throws(FileFailure) {
            staged = try StagedFolder(
                of: path, ignoring: ignored,
                settings: resources.map { JSON.object([.init("resources", $0)]).bytes() })
        } catch {
            throw .failure("\(error)")
        }
        defer { staged.remove() }
        try check(staged)
        return try body(staged.path)
    }

    private func check(_ staged: StagedFolder) throws(CommandError) {
        func refuse(_ what: String, _ name: String) -> CommandError {
            .refused("\(what), which is over budgets.\(name) in \(Self.file)")
        }
        if let limit = budgets.files, staged.files > limit { throw refuse("there are \(staged.files) files", "files") }
        if let limit = budgets.bytes, staged.bytes > limit {
            throw refuse("all files have \(ByteCount.text(staged.bytes))", "bytes")
        }
        if let limit = budgets.fileBytes, let largest = staged.largest, largest.bytes > limit {
            throw refuse("\(largest.path) has \(ByteCount.text(largest.bytes))", "fileBytes")
        }
    }
}
