package import Domain

/// What seed 000's client does about one entry of `/config`, by the rules K2 to K11 of clients.md.
///
/// One deviation: a copy whose `app.config.json` is broken is never updated by seed 000 (K4); here it is repaired by
/// the full package.
package enum SeedDecision: Sendable, Equatable {
    case skip(Skipping)
    /// The copy has this version (K5).
    case current
    case full
    /// By the archive for this local version (K10).
    case incremental(from: String)

    package enum Skipping: String, Sendable {
        /// K2.
        case notAnObject = "not-an-object"
        /// K3: neither updated, nor removed, nor switched off.
        case notEnabled = "not-enabled"
        /// K6: seed 000's client would crash on it.
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
        // K4, K9, and the deviation.
        case .absent, .unreadable: self = .full
        // By UTF-16 units, as -isEqualToString: compares, not by what Unicode calls equivalent.
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

    /// `-boolValue` of what a JSON member becomes in Objective-C.
    private static func isTrue(_ value: JSON?) -> Bool {
        switch value {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .number(let text): Double(text) != 0
        default: false
        }
    }
}
