package import Ground

/// Which releases a device gets: a pure function of a snapshot, of what the device says, and of an instant.
package struct Resolution: Sendable {
    private let snapshot: ReleaseSnapshot
    private let facts: DeviceFacts
    private let instant: Timestamp
    /// The time by the clock, by which slots to download pass; never before the instant.
    private let now: Timestamp
    /// What the device gets of packages that others depend on, or that are in a set, by the instant.
    private var winners: [Timestamp: [PackageID: Candidate?]] = [:]
    /// The sets of a group that the device gets nothing of; while that is decided, those that are struck out so far.
    private var struck: [SetQuestion: [ReleaseSetID: SetObstacle]] = [:]

    private struct SetQuestion: Hashable {
        /// Among ``SetGroups/groups``.
        let place: Int
        let instant: Timestamp
    }

    /// - Parameters:
    ///   - instant: The instant as of which releases are decided.
    ///   - now: The time by the clock; `nil` for the instant.
    package init(
        _ snapshot: ReleaseSnapshot, facts: DeviceFacts, at instant: Timestamp, now: Timestamp? = nil
    ) {
        self.snapshot = snapshot
        self.facts = facts
        self.instant = instant
        self.now = now.map { max($0, instant) } ?? instant
    }

    /// Decides which releases of a package the device gets, now and next.
    package mutating func decision(for package: PackageID) -> PackageDecision {
        guard let releases = snapshot.packages[package] else { return .nothing }
        let current = winner(of: releases, at: instant)
        var next: (Candidate, Timestamp)?
        for moment in releases.coming where moment > instant && next == nil {
            // Changed by its moment, not by a step that another one takes until then.
            guard let winner = winner(of: releases, at: moment), winner.release.activeTime == moment else { continue }
            next = (winner, moment)
        }
        return PackageDecision(
            current: current.map { decision(on: $0, of: releases, at: instant) },
            next: next.map { decision(on: $0.0, of: releases, at: $0.1) })
    }

    /// Why a release is not offered at an instant, whatever has a higher rank; `nil` where it may be.
    package mutating func refusal(of candidate: Candidate, at instant: Timestamp) -> Refusal? {
        if let refusal = ruleRefusal(of: candidate, at: instant) { return refusal }
        if let set = candidate.release.set, let obstacle = obstacle(to: set.id, at: instant) {
            return obstacle.refusal(of: candidate.release.package)
        }
        guard !candidate.release.requirements.dependencies.isEmpty else { return nil }
        return dependencyRefusal(of: candidate.release, at: instant)
    }

    /// Of the rules that look at the release and the device alone.
    private func ruleRefusal(of candidate: Candidate, at instant: Timestamp) -> Refusal? {
        guard candidate.release.isActive(at: instant) else { return .notYet(candidate.release.activeTime) }
        guard candidate.hasFiles else { return .noFiles }
        guard candidate.release.keepsDevices else { return .neverBegan }
        if candidate.release.isHalted,
            !(installed(of: candidate.release.package) ?? []).contains(candidate.release.version)
        {
            return .halted
        }
        if let refusal = candidate.refusal(of: facts, at: instant) { return refusal }
        if let refusal = apiRefusal(of: candidate.release.requirements.apis) { return refusal }
        guard let floor = candidate.release.terms.floor else { return nil }
        let installed = installed(of: candidate.release.package)
        return floor.admits(installed) ? nil : .floor(floor, has: installed?.first)
    }

    private mutating func dependencyRefusal(of release: Release, at instant: Timestamp) -> Refusal? {
        for dependency in release.requirements.dependencies {
            let isCircular = snapshot.isCircular(release.package, dependency.package)
            let offered = isCircular ? nil : version(of: dependency.package, at: instant)
            guard let offered, let ordered = OrderedVersion(offered.text), dependency.range.contains(ordered) else {
                return .dependency(dependency, offered: offered)
            }
        }
        return nil
    }

    private mutating func winner(of releases: PackageReleases, at instant: Timestamp) -> Candidate? {
        for candidate in releases.candidates where refusal(of: candidate, at: instant) == nil { return candidate }
        return nil
    }

    /// The versions that the device says it has, the one in use first; `nil` where it does not say.
    private func installed(of package: PackageID) -> [VersionString]? {
        facts.holdings.map { $0.versions[package] ?? [] }
    }

    private func apiRefusal(of apis: [String]) -> Refusal? {
        guard !apis.isEmpty else { return nil }
        guard let build = facts[.appVersion] else { return .apis(apis, build: nil, isKnown: false) }
        guard let own = snapshot.builds[build] else { return .apis(apis, build: build, isKnown: false) }
        let lacking = apis.filter { !own.contains($0) }
        return lacking.isEmpty ? nil : .apis(lacking, build: build, isKnown: true)
    }

    /// The version of another package that the device will have at an instant; `nil` where it has none.
    private mutating func version(of package: PackageID, at instant: Timestamp) -> VersionString? {
        let installed = installed(of: package)?.first
        guard !snapshot.disabled.contains(package) else { return installed }
        return winner(of: package, at: instant)?.release.version ?? installed
    }

    /// Remembers what it was.
    private mutating func winner(of package: PackageID, at instant: Timestamp) -> Candidate? {
        guard let releases = snapshot.packages[package] else { return nil }
        if let winner = winners[instant]?[package] { return winner }
        let winner = winner(of: releases, at: instant)
        winners[instant, default: [:]][package] = .some(winner)
        return winner
    }

    // MARK: Release sets

    /// Why the device gets nothing of a set at an instant; `nil` where it gets all of it.
    private mutating func obstacle(to set: ReleaseSetID, at instant: Timestamp) -> SetObstacle? {
        guard let place = snapshot.sets.place(of: set) else { return nil }
        let question = SetQuestion(place: place, instant: instant)
        if struck[question] == nil { decide(question) }
        return struck[question]?[set]
    }

    /// Takes all sets of a group to be given, and strikes out, from the highest rank down, each of which a device would
    /// not get all, until there is none.
    private mutating func decide(_ question: SetQuestion) {
        let (sets, instant) = (snapshot.sets.groups[question.place], question.instant)
        // Those first that no other set decides about: they are not to keep one from the device.
        struck[question] = sets.reduce(into: [:]) { $0[$1.id] = plainObstacle(to: $1, at: instant) }
        var isSettled = false
        while !isSettled {
            isSettled = true
            for set in sets where struck[question]?[set.id] == nil {
                guard let obstacle = foundObstacle(to: set, at: instant) else { continue }
                struck[question]?[set.id] = obstacle
                // What was found out while it counted as given.
                winners[instant] = nil
                isSettled = false
            }
        }
    }

    /// The first member that the device does not get by its own rules, where nothing can take its place.
    private func plainObstacle(to set: CandidateSet, at instant: Timestamp) -> SetObstacle? {
        for member in set.members {
            guard let candidate = member.candidate, let refusal = ruleRefusal(of: candidate, at: instant) else {
                continue
            }
            let above = snapshot.packages[member.package]?.candidates.prefix {
                $0.release.rank > candidate.release.rank
            }
            if above?.contains(where: { ruleRefusal(of: $0, at: instant) == nil }) ?? false { continue }
            return SetObstacle(set: set.id, package: member.package, version: member.version, refusal: refusal)
        }
        return nil
    }

    /// The first member in whose package the device gets neither it nor a release of higher rank, by what counts as given.
    private mutating func foundObstacle(to set: CandidateSet, at instant: Timestamp) -> SetObstacle? {
        for member in set.members {
            let winner = winner(of: member.package, at: instant)
            var refusal: Refusal?
            if let candidate = member.candidate {
                if winner.map({ $0.release.rank < candidate.release.rank }) ?? true {
                    refusal = self.refusal(of: candidate, at: instant)
                }
            } else if winner == nil {
                // What hides it from everyone has lost its files.
                refusal = .noFiles
            }
            let used = installed(of: member.package)?.first
            // Nothing is taken from who uses the set's part already.
            if refusal == nil, snapshot.disabled.contains(member.package), member.version != used,
                winner?.release.version != used
            {
                refusal = .disabled
            }
            if let refusal {
                return SetObstacle(set: set.id, package: member.package, version: member.version, refusal: refusal)
            }
        }
        return nil
    }

    // MARK: Who has to update

    private mutating func decision(
        on candidate: Candidate, of releases: PackageReleases, at instant: Timestamp
    ) -> ReleaseDecision {
        let rank = candidate.release.rank
        let matching = { [self] (other: Candidate) in
            other.release.rank <= rank && other.release.isActive(at: instant) && !other.release.isHalted
                && other.refusal(of: facts, at: instant) == nil
                // The floor says through what a device goes, not whether the release is for it.
                && apiRefusal(of: other.release.requirements.apis) == nil
        }
        let mandatoryAfter = releases.mandatory.first(where: matching)?.release.rank
        let isMandatory = installed(of: candidate.release.package).map { installed in
            guard let mandatoryAfter else { return false }
            let own = installed.first.flatMap { used in
                (releases.candidates + releases.hidden).filter { other in
                    other.release.version == used && (other.release.id == candidate.release.id || matching(other))
                }.map(\.release.rank).max()
            }
            return own.map { $0 < mandatoryAfter } ?? true
        }
        return ReleaseDecision(
            candidate, mandatoryAfter: mandatoryAfter, isMandatory: isMandatory,
            downloadAfter: downloadAfter(candidate, isMandatory: isMandatory ?? false))
    }

    /// The moment from which the device is to download the version; `nil` if it has it already or need not wait.
    private func downloadAfter(_ candidate: Candidate, isMandatory: Bool) -> Timestamp? {
        guard candidate.release.terms.downloads != nil else { return nil }
        let release = candidate.release
        // A device that has to update waits for nothing.
        guard !isMandatory || !release.isActive(at: now) else { return nil }
        if let installed = installed(of: release.package) {
            // Who has nothing to open does not wait for what takes effect now.
            guard !installed.contains(release.version), !installed.isEmpty || !release.isActive(at: instant) else {
                return nil
            }
        }
        return release.downloadPlace(of: facts, in: candidate.positions).flatMap { release.downloadAfter($0, at: now) }
    }
}

/// The check of a release against the rules for a device.
package struct RuleCheck: Sendable, Equatable {
    package let release: Release
    /// The first rule that keeps the release from the device; `nil` if none does.
    package let refusal: Refusal?
    /// A Boolean value indicating whether only a release of higher rank keeps the release from the device.
    package let isHidden: Bool
}

extension Resolution {
    /// Checks every release of a package, by falling rank.
    package mutating func trace(of package: PackageID) -> [RuleCheck] {
        guard let releases = snapshot.packages[package] else { return [] }
        var hasWinner = false
        return releases.candidates.map { candidate in
            let refusal = refusal(of: candidate, at: instant)
            defer { hasWinner = hasWinner || refusal == nil }
            return RuleCheck(release: candidate.release, refusal: refusal, isHidden: hasWinner && refusal == nil)
        }
    }
}
