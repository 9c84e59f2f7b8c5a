import Domain

extension Parameter where Value == AppID {
    /// The app that a command acts on: of the option, LARDER_APP, `larder.json` or the profile, or `default`.
    static var app: Parameter<AppID> {
        Parameter<(String?, ProfileChoice)>(
            .option("--app", "ID", "the id of the app (default: '\(AppID.default)')", or: "LARDER_APP"), .profile
        ).map { text, profile throws(CommandError) in
            let variable = Environment.all["LARDER_APP"].flatMap { $0.isEmpty ? nil : $0 }
            guard let text = text ?? variable else {
                if let app = try Project.current()?.app { return app }
                guard let text = try ServerOptions.appOfProfile(profile) else { return .default }
                guard let app = AppID(text) else { throw .usage("the profile's app '\(text)' is not an app id") }
                return app
            }
            guard let app = AppID(text) else { throw .usage("--app must be an app id: \(AppID.shape)") }
            return app
        }
    }
}

extension Parameter where Value == PackageID {
    /// The package that a command acts on: of the option, or of `larder.json`.
    static var package: Parameter<PackageID> {
        Parameter<PackageID?>.anyPackage.map { package throws(CommandError) in
            guard let package else {
                throw .usage(
                    "--package is missing: the id of the package, which larder.json in this folder may also name")
            }
            return package
        }
    }
}

extension Parameter where Value == PackageID? {
    /// The package of the option, or of `larder.json`; `nil` if neither names one.
    static var anyPackage: Parameter<PackageID?> {
        Parameter<String?>.option("--package", "ID", "the id of the package (default: that of larder.json)").map {
            text throws(CommandError) in
            guard let text else { return try Project.current()?.package }
            guard let package = PackageID(text) else {
                throw .usage("--package must be a package id: \(PackageID.shape)")
            }
            return package
        }
    }
}

extension Parameter where Value == String {
    /// The path of the command's package, below `/api/v1`.
    static var packagePath: Parameter<String> {
        Parameter<(PackageID, AppID)>(.package, .app).map { package, app throws(CommandError) in
            "/apps/\(app)/packages/\(package)"
        }
    }

    /// The path of the package's releases.
    static var releasesPath: Parameter<String> {
        packagePath.map { path throws(CommandError) in path + "/releases" }
    }

    /// The path of the package's releases, or of those of all packages if none is named.
    static var shownReleasesPath: Parameter<String> {
        Parameter<(PackageID?, AppID)>(.anyPackage, .app).map { package, app throws(CommandError) in
            package.map { "/apps/\(app)/packages/\($0)/releases" } ?? "/apps/\(app)/releases"
        }
    }

    /// The path of one of the package's releases, whose number is the operand.
    static var releasePath: Parameter<String> {
        Parameter<(Int64, String)>(
            .number("RELEASE", "the release number is missing or not a number; 'larder release list' shows it"),
            .releasesPath
        ).map { id, path throws(CommandError) in "\(path)/\(id)" }
    }
}

extension Parameter where Value == Int64 {
    /// Returns a parameter for an operand that is a positive number.
    ///
    /// - Parameter request: The error message for any other operand.
    static func number(_ usage: String, _ request: String) -> Parameter<Int64> {
        Parameter<String>.operand(usage, request).map { text throws(CommandError) in
            guard let number = Int64(text), number > 0 else { throw .usage(request) }
            return number
        }
    }
}
