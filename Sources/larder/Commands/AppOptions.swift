import Domain

/// Which package of which app a command is about.
struct AppOptions {
    static let valued: Set<String> = ["--app", "--package"]

    static let help = """
          --package ID       the package
          --app ID           the app (default 'default')
        """

    let app: AppID
    private let package: PackageID?

    init(_ arguments: Arguments) throws(CommandError) {
        guard let app = AppID(arguments["--app"] ?? AppID.default.text) else {
            throw .usage("--app must be an app id: \(AppID.shape)")
        }
        self.app = app
        package = try arguments["--package"].map { (text) throws(CommandError) in
            guard let package = PackageID(text) else {
                throw .usage("--package must be a package id: \(PackageID.shape)")
            }
            return package
        }
    }

    /// Below `/api/v1`; throws where no package is named.
    func packagePath() throws(CommandError) -> String {
        guard let package else { throw .usage("--package is needed") }
        return "/apps/\(app)/packages/\(package)"
    }

    /// The same of the package's releases.
    func releasesPath() throws(CommandError) -> String { try packagePath() + "/releases" }
}
