import Artifacts
import Domain

/// A version that `/config` offers, with the files that lead to it.
struct VersionOffer: Sendable, Equatable {
    let version: VersionString
    let full: ArtifactOffer
    /// Patches of kind `files`, by the version that they start from.
    let patches: [String: ArtifactOffer]
    /// Patches of kind `delta`, by the version that they start from.
    let deltas: [String: ArtifactOffer]
    let rank: Int64?
    /// Copies of lower rank must be updated before the package is opened (semantics.md §2).
    let mandatoryAfter: Int64?

    /// Reads an entry of `/config`, or its `next`; patches of kinds that this client does not know, or that require more
    /// than it knows, are passed over.
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
                // One that cannot be read, or is too large to be applied, is passed over: there are other ways.
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

    /// Whether a copy of this rank must be updated before it is opened; one that knows no rank counts as 0.
    func isMandatory(forRank installed: Int64?) -> Bool {
        (installed ?? 0) < (mandatoryAfter ?? 0)
    }
}
