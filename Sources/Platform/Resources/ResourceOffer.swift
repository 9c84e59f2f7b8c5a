package import Domain

/// The offer of a package on a channel to seed 004's clients; immutable and replaced as a whole.
package final class ResourceOffer: Sendable {
    /// The inputs of an offer, by which an unchanged offer is recognized.
    struct Basis: Equatable {
        let package: Package
        let sequence: Int64
        let isCurrent: Bool
        let parts: [Part]
        let released: Set<VersionString>

        struct Part: Equatable {
            let release: Release
            let mandatoryAfter: Rank?
            /// The versions from which patches are made.
            let bases: [VersionString]
        }
    }

    /// A number that is unique among the offers of the process.
    package let number: UInt64
    let basis: Basis
    /// The versions in the list: the current one and the scheduled one, or one of them.
    let sources: [ResourceSource]
    /// The list, or the reason why it cannot be made.
    package let list: Result<ResourceList, ResourceRefusal>
    /// By version, the highest rank of its releases that is not above the first part's.
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

    /// The package's time format, regardless of a version's own settings: all clients must understand it.
    package var timeFormat: ResourceSettings.TimeFormat { basis.package.resources.timeFormat }

    /// Returns whether a client may have a version: one that was released, or that a build ships.
    package func knows(_ version: VersionString) -> Bool { basis.released.contains(version) }

    /// Returns whether the update is mandatory for a client that has a version (semantics.md §2).
    package func isMandatory(for version: VersionString) -> Bool? {
        guard let part = basis.parts.first else { return nil }
        return part.mandatoryAfter.map { (ranks[version] ?? Rank(0)) < $0 } ?? false
    }

    /// Returns whether a client that has a version gets any patches.
    package func patches(from version: VersionString) -> Bool {
        patches(from: version, toComing: false) || patches(from: version, toComing: true)
    }

    /// Returns whether a client that has a version gets patches for one part of the list.
    package func patches(from version: VersionString, toComing isComing: Bool) -> Bool {
        let index = isComing ? sources.count - 1 : 0
        guard knows(version), sources.indices.contains(index) else { return false }
        let recent = basis.parts[index].bases
        // The current version is in use when the scheduled one is downloaded.
        let isCurrent = sources.first?.version == version
        return isCurrent || sources[index].settings.patches(from: version, recent: recent)
    }

    /// Returns the limit on the characters of a resource's patch.
    package func diffLimit(ofComing isComing: Bool) -> Int {
        (isComing ? sources.last : sources.first)?.settings.diffLimit ?? 0
    }
}

/// A version's resources, with the settings that apply to it.
struct ResourceSource: Sendable {
    let version: VersionString
    /// The package's settings when the resources were computed.
    let packageSettings: ResourceSettings
    /// The version's own settings, or the package's.
    let settings: ResourceSettings
    let resources: [Resource]

    var digests: [ResourceID: SHA256Digest] {
        Dictionary(resources.map { ($0.id, $0.digest) }) { _, last in last }
    }
}

/// The reason why a version cannot be offered to seed 004's clients.
package struct ResourceRefusal: Error, Sendable, Equatable {
    /// A sentence with the remedy.
    package let message: String
}
