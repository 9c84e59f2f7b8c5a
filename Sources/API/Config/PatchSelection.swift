import Domain
import Platform

/// Which patches an answer to `/config` names: those of the plan, or those that a device can use.
enum PatchSelection: Hashable {
    case planned
    /// By package, the versions that a device has and that there are patches from; others make no difference.
    case from([PackageID: [VersionString]])

    /// What is of use to a device.
    init(for holdings: Holdings, in view: ChannelView) {
        var useful: [PackageID: [VersionString]] = [:]
        for (package, versions) in holdings.versions {
            guard let entry = view.entry(of: package) else { continue }
            let bases = versions.filter { base in entry.offers.contains { $0.hasPatch(from: base) } }
            if !bases.isEmpty { useful[package] = bases }
        }
        self = .from(useful)
    }

    /// The patches to name in an offer.
    ///
    /// - Parameter soon: A version that a device will have by the time when it wants this one.
    func patches(
        of offer: ChannelView.Offer, of package: PackageID, soon: VersionString? = nil
    ) -> [SignedArtifact] {
        guard case .from(let held) = self else { return offer.patches }
        let bases = (held[package] ?? []) + (soon.map { [$0] } ?? [])
        return (offer.patches + offer.demanded).filter { patch in patch.artifact.base.map(bases.contains) ?? false }
    }
}

extension DemandedPatches {
    /// Asks for the patches that a device which has these versions could use.
    func ask(for holdings: Holdings, in view: ChannelView) {
        for (package, versions) in holdings.versions {
            guard let base = versions.first, let entry = view.entry(of: package), entry.released.contains(base) else {
                continue
            }
            for offer in entry.offers where offer.release.version != base && !offer.plannedBases.contains(base) {
                let pair = VersionPair(base: base, target: offer.release.version)
                ask(Wish(app: view.app, package: package, pair: pair), isOffered: offer.hasPatch(from: base))
            }
        }
    }
}

extension ChannelView.Entry {
    fileprivate var offers: [ChannelView.Offer] { [current, next].compactMap { $0 } }
}

extension ChannelView.Offer {
    fileprivate func hasPatch(from base: VersionString) -> Bool {
        (patches + demanded).contains { $0.artifact.base == base }
    }
}
