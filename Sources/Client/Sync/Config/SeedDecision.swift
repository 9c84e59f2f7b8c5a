package import Domain

/// What seed 000's client does about one entry of `/config`, by the rules K2 to K11 of clients.md.
///
/// One deviation: a copy whose `app.config.json` is broken is never updated by seed 000 (K4); here it is repaired by
/// the full package.
package enum SeedDecision: Sendable, Equatable {
    case skip(Skipping)
    /// The copy has this version (K5).
    case current
    case full(Reason)
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

    /// Why the full package is taken.
    package enum Reason: String, Sendable {
        /// K4, K9.
        case noCopy = "no-copy"
        /// The deviation.
        case brokenCopy = "broken-copy"
        /// K11.
        case copyWithoutVersion = "copy-without-version"
        /// K8.
        case noIncrementalPackages = "no-incremental-packages"
        /// K10.
        case noIncrementalFromCopy = "no-incremental-from-copy"
        /// Not seed 000's: the incremental update was tried and failed.
        case incrementalFailed = "incremental-failed"
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
        case .absent: self = .full(.noCopy)
        case .unreadable: self = .full(.brokenCopy)
        // By UTF-16 units, as -isEqualToString: compares, not by what Unicode calls equivalent.
        case .present(let installed?) where installed.utf16.elementsEqual(version.utf16): self = .current
        case .present(let installed): self = Self.update(entry["incrementalPackages"], from: installed)
        }
    }

    private static func update(_ incremental: JSON?, from installed: String?) -> SeedDecision {
        guard let incremental, incremental.members != nil else { return .full(.noIncrementalPackages) }
        guard let installed else { return .full(.copyWithoutVersion) }
        return incremental[installed] == nil ? .full(.noIncrementalFromCopy) : .incremental(from: installed)
    }

    /// `-boolValue` of what a JSON member becomes in Objective-C.
    private static func isTrue(_ value: JSON?) -> Bool {
        switch value {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .number(let value): value != 0
        default: false
        }
    }
}
