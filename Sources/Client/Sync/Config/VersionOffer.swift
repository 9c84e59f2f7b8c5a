import Artifacts
import Domain
import Ground

/// A version that `/config` offers, with the archive and the patches that lead to it.
struct VersionOffer: Sendable, Equatable {
    let version: VersionString
    let full: ArtifactOffer
    /// The patches of kind `files`, by base version.
    let patches: [String: ArtifactOffer]
    /// The patches of kind `delta`, by base version.
    let deltas: [String: ArtifactOffer]
    let rank: Int64?
    /// The rank below which a copy must be updated before the package is opened (semantics.md §2).
    let mandatoryAfter: Int64?

    /// Parses an entry of `/config`, or its `next`; ignores patches of unknown kinds or with unknown requirements.
    init(_ json: JSON) throws(PackageFailure) {
        guard let version = json["version"]?.string.flatMap(VersionString.init) else {
            throw PackageFailure(.invalidOffer, "its version is not a version string: \(VersionString.shape).")
        }
        self.version = version
        full = try ArtifactOffer(json, form: .full)
        var patches: [String: ArtifactOffer] = [:]
        var deltas: [String: ArtifactOffer] = [:]
        for patch in json["patches"]?.elements ?? [] {
            guard let base = patch["from"]?.string.flatMap(VersionString.init),
                let baseTree = patch["baseTree"]?.string.flatMap({ SHA256Digest(hex: $0) })
            else { continue }
            let required = (patch["requires"]?.elements ?? []).map(\.string)
            switch patch["kind"]?.string.flatMap(Artifact.Kind.init) {
            case .files where required.isEmpty:
                patches[base.text] = try ArtifactOffer(patch, form: .files(base: base, baseTree: baseTree))
            case .delta where required.allSatisfy({ $0 == Artifact.deltaFormat }):
                // An invalid or too large delta patch is ignored: the other ways remain.
                let delta = try? ArtifactOffer(patch, form: .delta(base: base, baseTree: baseTree))
                if let delta, delta.size <= DeltaLimits.patchBytes { deltas[base.text] = delta }
            default: break
            }
        }
        self.patches = patches
        self.deltas = deltas
        rank = json["rank"]?.integer
        mandatoryAfter = json["mandatoryAfter"]?.integer
    }

    /// Returns whether a copy of this rank must be updated before it is opened; a missing rank counts as 0.
    func isMandatory(forRank installed: Int64?) -> Bool {
        (installed ?? 0) < (mandatoryAfter ?? 0)
    }
}
