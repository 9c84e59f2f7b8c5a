package import Domain

/// What clients of seed 004 are told of a package on a channel until that changes; immutable, swapped whole.
package final class ResourceOffer: Sendable {
    /// All that follows from the package and its releases, so that the same ones need not be looked at again.
    struct Basis: Equatable {
        let package: Package
        let sequence: Int64
        let isCurrent: Bool
        let parts: [Part]
        let released: Set<VersionString>

        struct Part: Equatable {
            let decision: ReleaseDecision
            /// Those that patches are made from.
            let bases: [VersionString]
        }
    }

    /// A number that is unique among the offers of the process.
    package let number: UInt64
    let basis: Basis
    /// The versions that are told of: the current one, then the coming one; or that one alone.
    let sources: [ResourceSource]
    /// Why nothing can be told, or what is.
    package let list: Result<ResourceList, ResourceRefusal>
    /// By version, the highest rank of a release of it that is no higher than the first part's.
    private let ranks: [VersionString: Rank]

    init(
        number: UInt64, basis: Basis, sources: [ResourceSource], list: Result<ResourceList, ResourceRefusal>,
        ranks: [VersionString: Rank]
    ) {
        self.number = number
        self.basis = basis
        self.sources = sources
        self.list = list
        self.ranks = ranks
    }

    /// The package's, whatever a version's own settings say: what a client cannot read, it cannot go by.
    package var timeFormat: ResourceSettings.TimeFormat { basis.package.resources.timeFormat }

    /// Whether a client could have a version: one that was released, or that a build ships.
    package func knows(_ version: VersionString) -> Bool { basis.released.contains(version) }

    /// Whether a client that has a version has to update before it opens the package (semantics.md §2).
    package func isMandatory(for version: VersionString) -> Bool? {
        guard let part = basis.parts.first else { return nil }
        return part.decision.mandatoryAfter.map { (ranks[version] ?? Rank(0)) < $0 } ?? false
    }

    /// Whether a client that has a version gets patches for anything.
    package func patches(from version: VersionString) -> Bool {
        patches(from: version, toComing: false) || patches(from: version, toComing: true)
    }

    /// Whether a client that has a version gets patches for what the list has of a part.
    package func patches(from version: VersionString, toComing isComing: Bool) -> Bool {
        let index = isComing ? sources.count - 1 : 0
        guard knows(version), sources.indices.contains(index) else { return false }
        let recent = basis.parts[index].bases
        // What is current is in use when what is coming is downloaded.
        let isCurrent = sources.first?.version == version
        return isCurrent || sources[index].settings.patches(from: version, recent: recent)
    }

    /// Characters of a patch to a resource, at most.
    package func diffLimit(ofComing isComing: Bool) -> Int {
        (isComing ? sources.last : sources.first)?.settings.diffLimit ?? 0
    }
}

/// A version's resources, by the settings that hold for it.
struct ResourceSource: Sendable {
    let version: VersionString
    /// The package's, by which it was looked at.
    let packageSettings: ResourceSettings
    /// The version's own, or the package's.
    let settings: ResourceSettings
    let resources: [Resource]

    var digests: [ResourceID: SHA256Digest] {
        Dictionary(resources.map { ($0.id, $0.digest) }) { _, last in last }
    }
}

/// Why a version cannot be told of in seed 004's words.
package struct ResourceRefusal: Error, Sendable, Equatable {
    /// A sentence that says what to do.
    package let message: String
}
