import Domain
import Platform

/// Which patches an answer to `/config` names: those of the plan, or those that a device can use.
enum PatchSelection: Hashable {
    case planned
    /// By package, the versions that a device has and that there are patches from; others make no difference.
    case from([PackageID: Set<VersionString>])

    /// What is of use to a device.
    init(for holdings: Holdings, in device: DeviceView) {
        var useful: [PackageID: Set<VersionString>] = [:]
        for (package, versions) in holdings.versions {
            guard let entry = device.entry(of: package) else { continue }
            let bases = versions.filter { base in entry.offers.contains { $0.patchBases.contains(base) } }
            if !bases.isEmpty { useful[package] = Set(bases) }
        }
        self = .from(useful)
    }

    /// The versions of a package that the device has; `nil` for those of the plan.
    func held(of package: PackageID) -> Set<VersionString>? {
        guard case .from(let held) = self else { return nil }
        return held[package] ?? []
    }

    /// The patches to name in an offer.
    ///
    /// - Parameter soon: A version that a device will have by the time when it wants this one.
    func patches(
        in offer: ChannelView.Offer, of package: PackageID, soon: VersionString? = nil
    ) -> [SignedArtifact] {
        guard case .from(let held) = self else { return offer.patches }
        let bases = (held[package] ?? []).union(soon.map { [$0] } ?? [])
        return (offer.patches + offer.demanded).filter { patch in patch.artifact.base.map(bases.contains) ?? false }
    }
}

extension DemandedPatches {
    /// Asks for the patches that a device which has these versions lacks, and notes those that it gets.
    func ask(for holdings: Holdings, in device: DeviceView) {
        for (package, versions) in holdings.versions {
            // What comes is reached from what is current.
            guard let base = versions.first, let entry = device.entry(of: package), entry.released.contains(base),
                let offer = entry.current ?? entry.next, offer.release.version != base
            else { continue }
            let pair = VersionPair(base: base, target: offer.release.version)
            let wish = PatchWish(app: device.view.app, package: package, pair: pair)
            let isPlanned = offer.plannedBases.contains(base)
            if offer.patchBases.contains(base) {
                if !isPlanned { note(wish) }
            } else if !isPlanned || !offer.reachedBases.contains(base) {
                // One that is planned and there is not worth it.
                ask(wish)
            }
        }
    }
}

extension ChannelView.Entry {
    fileprivate var offers: [ChannelView.Offer] { [current, next].compactMap { $0 } }
}
