/// A change from one state of a channel's releases to another, by which devices may lose releases.
struct ReachTransition {
    private let before: ChannelReach
    private let after: ChannelReach
    /// The releases that some device gets only after the change, by package.
    private var arrivals: [PackageID: [Release]] = [:]
    /// The releases that some device got only before the change, by package.
    private var departures: [PackageID: [Release]] = [:]
    private var found: [ChannelReach.Key: DependencyLoss] = [:]

    init(from before: ChannelReach, to after: ChannelReach) {
        self.before = before
        self.after = after
        for (package, items) in after.packages {
            arrivals[package] = items.filter { item in
                !item.isOnlyForHolders && (before.item(item.release).map { item.reachesMore(than: $0) } ?? true)
            }.map(\.release)
        }
        for (package, items) in before.packages {
            departures[package] = items.filter { item in
                if let now = after.item(item.release) { return now.isOnlyForHolders && !item.isOnlyForHolders }
                // A release that another one hides from everyone is replaced, not lost.
                return !after.isInForce(item.release)
            }.map(\.release)
        }
    }

    /// Returns the losses, by package id and falling rank.
    consuming func losses() -> [DependencyLoss] {
        guard arrivals.values.contains(where: { !$0.isEmpty }) || departures.values.contains(where: { !$0.isEmpty })
        else { return [] }
        findIndirectArrivals()
        while findLoss() {}
        return found.values.sorted {
            ($0.release.package, $1.release.rank) < ($1.release.package, $0.release.rank)
        }
    }

    // MARK: Arrivals

    /// Adds the releases that devices newly get because their dependencies are met or their set is complete.
    private mutating func findIndirectArrivals() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for item in after.all where !item.isOnlyForHolders {
                let release = item.release
                guard !hasArrived(release),
                    release.requirements.dependencies.contains(where: isNewlyMet) || comesWithSet(release)
                else { continue }
                arrivals[release.package, default: []].append(release)
                isSettled = false
            }
        }
    }

    private func hasArrived(_ release: Release) -> Bool {
        arrivals[release.package]?.contains { $0.id == release.id } ?? false
    }

    private func isNewlyMet(_ dependency: VersionRequirements.Dependency) -> Bool {
        guard !before.alwaysMeets(dependency) else { return false }
        let (come, gone) = (arrivals[dependency.package] ?? [], departures[dependency.package] ?? [])
        return come.contains { dependency.admits($0.version) } || gone.contains { !dependency.admits($0.version) }
    }

    private func comesWithSet(_ release: Release) -> Bool {
        guard let set = release.set, !set.isPlain else { return false }
        return set.versions.keys.contains { package in
            package != release.package && (arrivals[package] ?? []).contains { $0.rank >= release.rank }
        }
    }

    // MARK: Losses

    /// Adds one further loss; returns `false` if there is none.
    ///
    /// A loss may cause others.
    private mutating func findLoss() -> Bool {
        for item in before.all
        where before.isPossible(item.release) && found[ChannelReach.Key(item.release)] == nil {
            guard let loss = dependencyLoss(of: item.release) ?? setLoss(of: item.release) else { continue }
            found[ChannelReach.Key(item.release)] = loss
            departures[item.release.package, default: []].append(item.release)
            return true
        }
        return false
    }

    private func dependencyLoss(of release: Release) -> DependencyLoss? {
        // A release that this change ends or halts is not lost because of another package. A release that was halted
        // before may be, since devices that have it are still offered it.
        let wasOnlyForHolders = before.item(release)?.isOnlyForHolders ?? false
        guard after.isInForce(release) || wasOnlyForHolders && after.item(release) != nil else { return nil }
        for dependency in release.requirements.dependencies {
            if let cause = arrivals[dependency.package]?.first(where: {
                isBroken(release, dependency, byArrivalOf: $0)
            }) {
                return loss(of: release, dependency, cause, begins: true)
            }
            if let cause = departures[dependency.package]?.first(where: {
                isBroken(release, dependency, byDepartureOf: $0)
            }) {
                return loss(of: release, dependency, cause, begins: false)
            }
        }
        return nil
    }

    private func loss(
        of release: Release, _ dependency: VersionRequirements.Dependency?, _ cause: Release, begins: Bool
    ) -> DependencyLoss {
        DependencyLoss(
            release: release, dependency: dependency, cause: cause, causeBegins: begins, from: after.instant)
    }

    /// Returns whether the arrival of a release moves a device out of the range.
    private func isBroken(
        _ release: Release, _ dependency: VersionRequirements.Dependency, byArrivalOf arrival: Release
    ) -> Bool {
        guard !dependency.admits(arrival.version), after.isPossible(arrival),
            !arrival.isDisjoint(from: release, at: after.instant)
        else { return false }
        let displaces =
            !before.reachesEveryDevice(arrival.package)
            || before.items(of: arrival.package).contains {
                $0.release.rank < arrival.rank && dependency.admits($0.release.version)
            }
        return displaces && !isReplaced(release, for: arrival)
    }

    /// Returns whether the departure of a release leaves a device with a version out of the range, or with none.
    private func isBroken(
        _ release: Release, _ dependency: VersionRequirements.Dependency, byDepartureOf departure: Release
    ) -> Bool {
        guard dependency.admits(departure.version), !departure.isDisjoint(from: release, at: before.instant) else {
            return false
        }
        let package = departure.package
        let others = after.items(of: package).filter { !dependency.admits($0.release.version) }.map(\.release.rank)
        guard !after.reachesEveryDevice(package) || others.contains(where: { $0 < departure.rank })
        else { return false }
        let isCovered = after.items(of: package).contains { item in
            let other = item.release
            return !item.isOnlyForHolders && !isLost(other) && dependency.admits(other.version)
                && Set(other.requirements.dependencies).isSubset(of: departure.requirements.dependencies)
                && other.covers(departure, at: after.instant)
                && !others.contains { $0 > other.rank && $0 < departure.rank }
        }
        return !isCovered && !isReplaced(release, for: nil)
    }

    private func isLost(_ release: Release) -> Bool { found[ChannelReach.Key(release)] != nil }

    /// Returns whether every device that would lose a release gets one of higher rank of the same package.
    ///
    /// - Parameter arrival: The release of another package that all these devices get; `nil` if it is unknown.
    private func isReplaced(_ release: Release, for arrival: Release?) -> Bool {
        after.items(of: release.package).contains { item in
            let other = item.release
            guard other.rank > release.rank, !item.isOnlyForHolders, !isLost(other) else { return false }
            if let set = other.set?.id, set == arrival?.set?.id { return true }
            guard
                other.covers(release, at: after.instant)
                    || arrival.map({ other.covers($0, at: after.instant) }) ?? false
            else { return false }
            return other.requirements.dependencies.allSatisfy { dependency in
                if let arrival, arrival.package == dependency.package { return dependency.admits(arrival.version) }
                return after.alwaysMeets(dependency)
                    || arrival != nil && release.requirements.dependencies.contains(dependency)
            }
        }
    }

    /// Returns the loss of a release whose set loses another member or the replacement of one.
    private func setLoss(of release: Release) -> DependencyLoss? {
        guard let set = release.set, after.isInForce(release) else { return nil }
        for package in set.versions.keys.sorted() where package != release.package {
            for departure in departures[package] ?? [] where departure.rank >= release.rank {
                let mate = after.items(of: package).first { $0.release.set?.id == set.id }
                if let mate, mate.release.id != departure.id, mate.release.covers(departure, at: after.instant),
                    mate.release.requirements.dependencies.allSatisfy(departure.requirements.dependencies.contains)
                {
                    continue
                }
                let cause = found[ChannelReach.Key(departure)]
                // The cause of the other loss may replace this member as well.
                if let cause, cause.cause.package == release.package, cause.cause.rank > release.rank { continue }
                guard !isReplaced(release, for: nil) else { continue }
                return loss(of: release, nil, cause?.cause ?? departure, begins: cause?.causeBegins ?? false)
            }
        }
        return nil
    }
}
