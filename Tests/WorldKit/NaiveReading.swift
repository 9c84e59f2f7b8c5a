package import Domain
package import Ground

/// A reference implementation of semantics.md §2 and §3, rule by rule, with plain numbers and without any shortcuts.
package struct NaiveReading {
    private let instant: Timestamp
    /// The active releases that have not ended, by package and descending rank.
    private let releases: [PackageID: [WorldRelease]]
    /// The sets by descending rank.
    private let sets: [[WorldRelease]]
    private let memory = Memory()

    /// The sets that each device gets nothing of, both partial and final results.
    private final class Memory {
        var struck: [Int: Set<ReleaseSetID>] = [:]
    }

    package init(_ world: ReleaseWorld, at instant: Timestamp) {
        self.instant = instant
        let active = world.releases.filter { !$0.hasEnded && $0.release.isActive(at: instant) }
        releases = Dictionary(grouping: active, by: \.release.package).mapValues { own in
            own.sorted { $0.release.rank > $1.release.rank }
        }
        sets = Dictionary(grouping: active.filter { $0.release.set != nil }, by: \.release.set?.id).values
            .sorted { ($0[0].release.rank, Self.number($0)) > ($1[0].release.rank, Self.number($1)) }
    }

    /// Returns the release of highest rank that is active, has not ended, and matches.
    package func current(of package: PackageID, for device: WorldDevice) -> WorldRelease? {
        releases[package]?.first { isOffered($0, to: device) }
    }

    package func isOffered(_ release: WorldRelease, to device: WorldDevice) -> Bool {
        isFit(release, for: device) && !isStruck(release, for: device) && hasCommon(release, device)
    }

    private static func number(_ set: [WorldRelease]) -> Int64 { set[0].release.set?.id.value ?? 0 }

    /// Whether the release belongs to a set that the device does not get completely.
    package func isStruck(_ release: WorldRelease, for device: WorldDevice) -> Bool {
        guard let id = release.release.set?.id else { return false }
        if memory.struck[device.number] == nil { strike(for: device) }
        return memory.struck[device.number]?.contains(id) ?? false
    }

    /// Strikes the sets with a member that nothing can replace, then repeatedly the highest set that the device would
    /// not get completely.
    private func strike(for device: WorldDevice) {
        memory.struck[device.number] = []
        for set in sets where set.contains(where: { isBeyond($0, device) }) {
            memory.struck[device.number]?.insert(ReleaseSetID(Self.number(set)))
        }
        while strikeOnce(for: device) {}
    }

    private func strikeOnce(for device: WorldDevice) -> Bool {
        var hasStruck = false
        for set in sets where !isStruck(set[0], for: device) && !isWhole(set, for: device) {
            memory.struck[device.number]?.insert(ReleaseSetID(Self.number(set)))
            hasStruck = true
        }
        return hasStruck
    }

    private func isBeyond(_ member: WorldRelease, _ device: WorldDevice) -> Bool {
        releases[member.release.package]?.contains {
            $0.release.rank >= member.release.rank && isFit($0, for: device)
        } != true
    }

    /// Whether the device gets each member, or a release of higher rank.
    private func isWhole(_ set: [WorldRelease], for device: WorldDevice) -> Bool {
        set.allSatisfy { member in
            current(of: member.release.package, for: device).map { $0.release.rank >= member.release.rank } ?? false
        }
    }

    /// Whether the rules that depend only on the release and the device permit it.
    private func isFit(_ release: WorldRelease, for device: WorldDevice) -> Bool {
        guard instant >= release.release.activeTime, !release.hasEnded else { return false }
        let installed = device.reportsVersions ? device.have[release.release.package] ?? [] : nil
        if release.isHalted {
            // Before its activation it was at most downloaded ahead, and no device may switch to it.
            guard let since = release.stoppedSince, since >= release.release.activeTime.milliseconds,
                installed?.contains(release.version) == true
            else { return false }
        }
        return matches(release, device) && hasAPIs(release, device) && isPastFloor(release, installed)
    }

    /// Whether the audience and the host-app limits include the device.
    private func matches(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        let terms = release.terms
        if terms.usesExcluded, !device.sendsID || WorldDevice.isExcluded(device.number) { return false }
        let isListed = terms.usesWhitelist && device.sendsID && WorldDevice.isOnWhitelist(device.number)
        guard isListed || isWithinShare(release, device) else { return false }
        return meetsRules(release, device) && hasHostApp(release, device)
    }

    private func meetsRules(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        let terms = release.terms
        guard release.hasRules(at: instant.milliseconds) else { return true }
        if let platforms = terms.platforms {
            guard let own = device.platform, platforms.map({ $0.lowercased() }).contains(own) else { return false }
        }
        if let others = terms.otherRegions {
            guard let own = device.region, !others.map({ $0.uppercased() }).contains(own) else { return false }
        }
        if let lowest = terms.lowestApp {
            guard let own = device.app, own >= lowest else { return false }
        }
        if let levels = terms.levels {
            guard let own = device.level, levels.contains(own) else { return false }
        }
        return true
    }

    private func hasHostApp(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        guard release.needs.lowestApp != nil || release.needs.highestApp != nil else { return true }
        guard let own = device.app else { return false }
        return own >= release.needs.lowestApp ?? 0 && own <= release.needs.highestApp ?? .max
    }

    private func isWithinShare(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        let share = release.share(at: instant.milliseconds)
        if share == 10_000 { return true }
        guard share > 0, let bucket = device.bucket else { return false }
        return BucketOrders.table(of: release.release.terms.salt).position(of: bucket) < share
    }

    private func hasAPIs(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        guard !release.needs.apis.isEmpty else { return true }
        guard let app = device.app, let own = ReleaseWorld.builds["8.\(app)"] else { return false }
        return own.isSuperset(of: release.needs.apis)
    }

    private func isPastFloor(_ release: WorldRelease, _ installed: [Int]?) -> Bool {
        guard let floor = release.terms.floor else { return true }
        guard let installed else { return floor.offersToSilent }
        return installed.first.map { $0 >= floor.version } ?? true
    }

    private func hasCommon(_ release: WorldRelease, _ device: WorldDevice) -> Bool {
        guard let range = release.needs.common else { return true }
        let offered = current(of: ReleaseWorld.common, for: device)?.version
        let kept = device.reportsVersions ? device.have[ReleaseWorld.common]?.first : nil
        guard let version = offered ?? kept else { return false }
        return range.contains(version)
    }

    /// Returns the highest rank, up to an offer's own, of a matching mandatory release that was neither halted nor
    /// rolled back.
    package func mandatoryAfter(_ offer: WorldRelease, for device: WorldDevice) -> Rank? {
        releases[offer.release.package]?.first { $0.terms.isMandatory && counts($0, upTo: offer, for: device) }?
            .release.rank
    }

    /// Whether a device that reports its versions has to update first.
    package func isMandatory(_ offer: WorldRelease, for device: WorldDevice) -> Bool? {
        guard device.reportsVersions else { return nil }
        guard let after = mandatoryAfter(offer, for: device) else { return false }
        let used = device.have[offer.release.package]?.first
        if used == offer.version { return false }
        let own = releases[offer.release.package]?.first {
            $0.version == used && counts($0, upTo: offer, for: device)
        }
        return (own?.release.rank.value ?? 0) < after.value
    }

    private func counts(_ release: WorldRelease, upTo offer: WorldRelease, for device: WorldDevice) -> Bool {
        release.release.rank <= offer.release.rank && !release.hasEnded && !release.isHalted
            && instant >= release.release.activeTime && matches(release, device) && hasAPIs(release, device)
    }
}
