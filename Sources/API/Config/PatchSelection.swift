import Domain
import Platform

/// The patches that a `/config` response names: the planned ones, or those that a device can use.
enum PatchSelection: Hashable {
    case planned
    /// By package, the versions that the device has and that some patch starts from.
    case from([PackageID: Set<VersionString>])

    /// Keeps the versions of the device that some patch starts from.
    init(for holdings: Holdings, in device: DeviceView) {
        var useful: [PackageID: Set<VersionString>] = [:]
        for (package, versions) in holdings.versions {
            guard let entry = device.entry(of: package) else { continue }
            let bases = versions.filter { base in entry.offers.contains { $0.downloads.patchBases.contains(base) } }
            if !bases.isEmpty { useful[package] = Set(bases) }
        }
        self = .from(useful)
    }

    /// Returns the versions of a package that the device has; `nil` selects the planned patches.
    func held(of package: PackageID) -> Set<VersionString>? {
        guard case .from(let held) = self else { return nil }
        return held[package] ?? []
    }

    /// Returns the patches to name in an offer.
    ///
    /// - Parameter soon: A version that the device will have by the time it needs this one.
    func patches(
        in offer: ChannelView.Offer, of package: PackageID, soon: VersionString? = nil
    ) -> [SignedArtifact] {
        guard case .from(let held) = self else { return offer.downloads.patches }
        let bases = (held[package] ?? []).union(soon.map { [$0] } ?? [])
        return (offer.downloads.patches + offer.downloads.demanded).filter { patch in
            patch.artifact.base.map(bases.contains) ?? false
        }
    }
}

extension RequestedPatches {
    /// Requests the patches that the device lacks from its versions, and records the use of those that exist.
    func ask(for holdings: Holdings, in device: DeviceView) {
        for (package, versions) in holdings.versions {
            // A patch for a scheduled release starts from the current release.
            guard let base = versions.first, let entry = device.entry(of: package), entry.released.contains(base),
                let offer = entry.current ?? entry.next, offer.release.version != base
            else { continue }
            let pair = VersionPair(base: base, target: offer.release.version)
            let request = PatchRequest(app: device.view.app, package: package, pair: pair)
            let isPlanned = offer.downloads.plannedBases.contains(base)
            if offer.downloads.patchBases.contains(base) {
                if !isPlanned { note(request) }
            } else if !isPlanned || !offer.downloads.reachedBases.contains(base) {
                // A planned patch that exists but is not offered was not worth its size.
                ask(request)
            }
        }
    }
}

extension ChannelView.Entry {
    fileprivate var offers: [ChannelView.Offer] { [current, next].compactMap { $0 } }
}
