import Ground

/// The versions and patches that the current and scheduled releases of a package need.
struct NeededArtifacts {
    let offered: Set<VersionString>
    let bases: Set<VersionString>
    /// The versions that builds ship, whether patches start from them or not.
    let shipped: Set<VersionString>
    /// The smallest needed patch for each pair of versions, kind and layout.
    private let smallest: [Key: RetentionFacts.Artifact]

    private struct Key: Hashable {
        let base: VersionString
        let target: VersionString
        let kind: String
        let layout: Layout
    }

    init(of facts: RetentionFacts, at instant: Timestamp) {
        var offered: Set<VersionString> = []
        var bases: Set<VersionString> = []
        var pairs: [VersionString: Set<VersionString>] = [:]
        let archives = facts.artifacts.filter { $0.base == nil && $0.layout == .appFolder }
        let sizes = Dictionary(archives.map { ($0.version, $0.size) }) { $1 }
        for (_, releases) in Dictionary(grouping: facts.releases, by: \.channel) {
            let live = PatchCoverage.offered(releases, at: instant)
            // If the hiding release is halted, the releases below it are offered again.
            if let hiding = live.last, hiding.isForEveryone(at: instant), hiding.isActive(at: instant) {
                let others = releases.filter { $0.id != hiding.id }
                offered.formUnion(PatchCoverage.offered(others, at: instant).map(\.version))
            }
            for release in live {
                let own = PatchCoverage.bases(
                    of: release, among: releases, shipped: facts.shipped, archiveSize: sizes[release.version] ?? 0)
                offered.insert(release.version)
                bases.formUnion(own)
                pairs[release.version, default: []].formUnion(own)
            }
        }
        var smallest: [Key: RetentionFacts.Artifact] = [:]
        for artifact in facts.artifacts {
            guard let key = Self.key(of: artifact), pairs[key.target]?.contains(key.base) ?? false else {
                continue
            }
            if let known = smallest[key], known.size <= artifact.size { continue }
            smallest[key] = artifact
        }
        self.offered = offered
        self.bases = bases
        shipped = Set(facts.shipped)
        self.smallest = smallest
    }

    /// Returns whether the plan needs an artifact.
    ///
    /// A needed patch that is no smaller than the full archive is kept although it is not offered: it would be built
    /// again.
    func needs(_ artifact: RetentionFacts.Artifact) -> Bool {
        guard let key = Self.key(of: artifact) else { return offered.contains(artifact.version) }
        return smallest[key]?.number == artifact.number
    }

    func hasSmaller(than artifact: RetentionFacts.Artifact) -> Bool {
        Self.key(of: artifact).flatMap { smallest[$0] }.map { $0.size < artifact.size } ?? false
    }

    private static func key(of artifact: RetentionFacts.Artifact) -> Key? {
        artifact.base.map { Key(base: $0, target: artifact.version, kind: artifact.kind, layout: artifact.layout) }
    }
}
