/// The choice of the patches that are small enough to be offered.
package enum PatchChoice {
    /// The limit on a delta patch in percent of the full archive, which is the more robust update.
    package static let deltaPercent = 70

    /// Returns the limit on the bytes of a delta patch.
    package static func deltaLimit(insteadOf full: Artifact) -> Int { full.size * deltaPercent / 100 }

    /// Returns the smallest useful patches of each kind, for each base.
    ///
    /// An incremental archive is useful if it is smaller than the full archive, a delta patch if it is smaller than
    /// both.
    package static func worthwhile(
        _ patches: [SignedArtifact], from bases: [VersionString], insteadOf full: SignedArtifact
    ) -> [SignedArtifact] {
        let fullSize = full.artifact.size
        return bases.flatMap { base in
            let own = patches.filter { $0.artifact.base == base && $0.artifact.size < fullSize }
            let smallest = { (kind: Artifact.Kind) in
                own.filter { $0.artifact.kind == kind }.min { $0.artifact.size < $1.artifact.size }
            }
            let files = smallest(.files)
            let delta = smallest(.delta).flatMap { delta in
                let isSmall = delta.artifact.size <= deltaLimit(insteadOf: full.artifact)
                return isSmall && delta.artifact.size < files?.artifact.size ?? .max ? delta : nil
            }
            return [files, delta].compactMap { $0 }
        }
    }
}
