import Domain
package import Ground

/// The action of seed 000's client for one entry of `/config`, by the rules K2 to K11 of clients.md.
///
/// One deviation: seed 000 never updates a copy whose `app.config.json` is broken (K4); this client repairs it with the
/// full package.
package enum SeedDecision: Sendable, Equatable {
    case skip(Skipping)
    /// The copy has the offered version (K5).
    case current
    case full
    /// An update by the archive for this local version (K10).
    case incremental(from: String)

    package enum Skipping: String, Sendable {
        /// The entry is not an object (K2).
        case notAnObject = "not-an-object"
        /// The entry is not enabled (K3); the copy is neither updated, removed nor disabled.
        case notEnabled = "not-enabled"
        /// The version is not a string (K6); seed 000's client would crash on it.
        case versionNotAString = "version-not-a-string"
    }

    package init(entry: JSON, local: LocalConfig) {
        guard entry.members != nil else {
            self = .skip(.notAnObject)
            return
        }
        guard Self.isTrue(entry["enable"]) else {
            self = .skip(.notEnabled)
            return
        }
        guard let version = entry["version"]?.string else {
            self = .skip(.versionNotAString)
            return
        }
        switch local {
        // Rules K4 and K9, and the deviation.
        case .absent, .unreadable: self = .full
        // Compared by UTF-16 units like -isEqualToString:, not by Unicode equivalence.
        case .present(let installed?) where installed.utf16.elementsEqual(version.utf16): self = .current
        case .present(let installed): self = Self.update(entry["incrementalPackages"], from: installed)
        }
    }

    private static func update(_ incremental: JSON?, from installed: String?) -> SeedDecision {
        // K8, K11, K10.
        guard let incremental, incremental.members != nil, let installed, incremental[installed] != nil else {
            return .full
        }
        return .incremental(from: installed)
    }

    /// Returns the `-boolValue` of the Objective-C object that a JSON member becomes.
    private static func isTrue(_ value: JSON?) -> Bool {
        switch value {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .number(let text): Double(text) != 0
        default: false
        }
    }
}
