/// The words in which clients other than seed 000's ask for a package, turned on package by package (decision 0025).
///
/// The raw values are part of the operators' API and stored. A further dialect is a case here, its ``DialectRules`` and
/// its endpoint.
package enum Dialect: String, Sendable, CaseIterable, Comparable {
    /// Seed 002's: `POST /getNewestPackage`.
    case newestPackage = "newest-package"
    /// Seed 003's: `info.json` beside a zip and its files.
    case infoJSON = "info-json"
    /// Seed 004's: `resources.json`, a list of single files with text patches.
    case resourcesJSON = "resources-json"

    /// All of them, as a message names them.
    package static let names = allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    package var rules: any DialectRules {
        switch self {
        case .newestPackage: NewestPackageRules()
        case .infoJSON: InfoJSONRules()
        case .resourcesJSON: ResourcesJSONRules()
        }
    }

    package static func < (left: Dialect, right: Dialect) -> Bool { left.rawValue < right.rawValue }
}
