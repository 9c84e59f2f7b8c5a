/// A client protocol besides seed 000's, turned on for each package (decision 0025).
///
/// The raw values are part of the operators' API and are stored. A new dialect needs a case here, its ``DialectRules``
/// and its endpoint.
package enum Dialect: String, Sendable, CaseIterable, Comparable {
    /// Seed 002's protocol: `POST /getNewestPackage`.
    case newestPackage = "newest-package"
    /// Seed 003's protocol: `info.json` beside a zip and its files.
    case infoJSON = "info-json"
    /// Seed 004's protocol: `resources.json`, a list of single files with text patches.
    case resourcesJSON = "resources-json"

    /// The names of all dialects, for messages.
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
