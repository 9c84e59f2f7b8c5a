/// Which of the patches that are there are worth being offered.
package enum PatchChoice {
    /// Of the full archive's size, the most that a delta patch may have: past it, less can go wrong with the archive.
    package static let deltaPercent = 70

    /// Bytes that a delta patch may have at most beside a full archive.
    package static func deltaLimit(insteadOf full: Artifact) -> Int { full.size * deltaPercent / 100 }

    /// For each base the smallest of each kind, where it is smaller than what is used without it: an incremental archive
    /// than the full one, a delta patch than both.
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
