package import Ground

/// The resolution of releases for a device: a pure function of a snapshot, device facts and an instant.
package struct Resolution: Sendable {
    private let snapshot: ReleaseSnapshot
    private let facts: DeviceFacts
    private let instant: Timestamp
    /// The clock's time, which determines download slots; never before the instant.
    private let now: Timestamp
    /// The decided releases of packages that others depend on or that are in a set, by instant.
    private var winners: [Timestamp: [PackageID: Candidate?]] = [:]
    /// The sets of a group that the device does not get, with the reasons; complete once the group is decided.
    private var struck: [SetQuestion: [ReleaseSetID: SetObstacle]] = [:]

    private struct SetQuestion: Hashable {
        /// The index in ``SetGroups/groups``.
        let index: Int
        let instant: Timestamp
    }

    /// - Parameters:
    ///   - instant: The instant of the decisions.
    ///   - now: The clock's time; `nil` for the instant.
    package init(
        _ snapshot: ReleaseSnapshot, facts: DeviceFacts, at instant: Timestamp, now: Timestamp? = nil
    ) {
        self.snapshot = snapshot
        self.facts = facts
        self.instant = instant
        self.now = now.map { max($0, instant) } ?? instant
    }

    /// Returns the releases of a package that the device gets, now and next.
    package mutating func decision(for package: PackageID) -> PackageDecision {
        guard let releases = snapshot.packages[package] else { return .nothing }
        let current = winner(of: releases, at: instant)
        var next: (Candidate, Timestamp)?
        for moment in releases.coming where moment > instant && next == nil {
            // The next release must be a scheduled one, not an active one that only takes a plan step.
            guard let winner = winner(of: releases, at: moment), winner.release.activeTime == moment else { continue }
            next = (winner, moment)
        }
        return PackageDecision(
            current: current.map { decision(on: $0, of: releases, at: instant) },
            next: next.map { decision(on: $0.0, of: releases, at: $0.1) })
    }

    /// Returns the reason why a release is not offered at an instant, regardless of higher ranks; `nil` if it may be.
    package mutating func refusal(of candidate: Candidate, at instant: Timestamp) -> Refusal? {
        if let refusal = ruleRefusal(of: candidate, at: instant) { return refusal }
        if let set = candidate.release.set, let obstacle = obstacle(to: set.id, at: instant) {
            return obstacle.refusal(of: candidate.release.package)
        }
        guard !candidate.release.requirements.dependencies.isEmpty else { return nil }
        return dependencyRefusal(of: candidate.release, at: instant)
    }

    /// Returns the first rule that rejects the release for the device, without dependencies and sets.
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

    /// Returns the versions that the device has, the one in use first; `nil` if it does not send them.
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

    /// Returns the version of another package that the device will have at an instant; `nil` if it has none.
    private mutating func version(of package: PackageID, at instant: Timestamp) -> VersionString? {
        let installed = installed(of: package)?.first
        guard !snapshot.disabled.contains(package) else { return installed }
        return winner(of: package, at: instant)?.release.version ?? installed
    }

    /// Returns the decided release of a package; caches it.
    private mutating func winner(of package: PackageID, at instant: Timestamp) -> Candidate? {
        guard let releases = snapshot.packages[package] else { return nil }
        if let winner = winners[instant]?[package] { return winner }
        let winner = winner(of: releases, at: instant)
        winners[instant, default: [:]][package] = .some(winner)
        return winner
    }

    // MARK: Release sets

    /// Returns the reason why the device does not get a set at an instant; `nil` if it gets all of it.
    private mutating func obstacle(to set: ReleaseSetID, at instant: Timestamp) -> SetObstacle? {
        guard let index = snapshot.sets.index(of: set) else { return nil }
        let question = SetQuestion(index: index, instant: instant)
        if struck[question] == nil { decide(question) }
        return struck[question]?[set]
    }

    /// Assumes that the device gets all sets of a group, and removes those that it cannot get completely.
    ///
    /// Repeats from the highest rank down until no set is removed.
    private mutating func decide(_ question: SetQuestion) {
        let (sets, instant) = (snapshot.sets.groups[question.index], question.instant)
        // Sets that no other set affects are removed first, since they must not prevent others.
        struck[question] = sets.reduce(into: [:]) { $0[$1.id] = plainObstacle(to: $1, at: instant) }
        var isSettled = false
        while !isSettled {
            isSettled = true
            for set in sets where struck[question]?[set.id] == nil {
                guard let obstacle = foundObstacle(to: set, at: instant) else { continue }
                struck[question]?[set.id] = obstacle
                // Decisions that assumed the removed set are invalid.
                winners[instant] = nil
                isSettled = false
            }
        }
    }

    /// Returns the first member that the device's own facts exclude and that no other release can replace.
    private func plainObstacle(to set: CandidateReleaseSet, at instant: Timestamp) -> SetObstacle? {
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

    /// Returns the first member that the device gets neither itself nor as a release of higher rank.
    private mutating func foundObstacle(to set: CandidateReleaseSet, at instant: Timestamp) -> SetObstacle? {
        for member in set.members {
            let winner = winner(of: member.package, at: instant)
            var refusal: Refusal?
            if let candidate = member.candidate {
                if winner.map({ $0.release.rank < candidate.release.rank }) ?? true {
                    refusal = self.refusal(of: candidate, at: instant)
                }
            } else if winner == nil {
                // The release that hides it from everyone has lost its files.
                refusal = .noFiles
            }
            let used = installed(of: member.package)?.first
            // A device that uses the set's member already loses nothing.
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

    // MARK: Mandatory updates

    private func decision(
        on candidate: Candidate, of releases: PackageReleases, at instant: Timestamp
    ) -> ReleaseDecision {
        let release = candidate.release
        let mandatoryAfter = releases.mandatory.first { isEligible($0, upTo: release.rank, at: instant) }?.release.rank
        let isMandatory = installed(of: release.package).map { installed in
            guard let mandatoryAfter else { return false }
            let own = installed.first.flatMap { used in
                (releases.candidates + releases.hidden).filter { other in
                    other.release.version == used
                        && (other.release.id == release.id || isEligible(other, upTo: release.rank, at: instant))
                }.map(\.release.rank).max()
            }
            return own.map { $0 < mandatoryAfter } ?? true
        }
        return ReleaseDecision(
            candidate, mandatoryAfter: mandatoryAfter, isMandatory: isMandatory,
            downloadAfter: downloadAfter(candidate, isMandatory: isMandatory ?? false))
    }

    /// Whether a release up to a rank is for the device; only such releases make others mandatory.
    ///
    /// The floor affects the way to the release, not whether it is for the device.
    private func isEligible(_ candidate: Candidate, upTo rank: Rank, at instant: Timestamp) -> Bool {
        let release = candidate.release
        return release.rank <= rank && release.isActive(at: instant) && !release.isHalted
            && candidate.refusal(of: facts, at: instant) == nil && apiRefusal(of: release.requirements.apis) == nil
    }

    /// Returns the time from which the device may download the version; `nil` if it has it or need not wait.
    private func downloadAfter(_ candidate: Candidate, isMandatory: Bool) -> Timestamp? {
        guard candidate.release.terms.downloads != nil else { return nil }
        let release = candidate.release
        // A device with a mandatory update need not wait.
        guard !isMandatory || !release.isActive(at: now) else { return nil }
        if let installed = installed(of: release.package) {
            // A device without any version does not wait for an active release.
            guard !installed.contains(release.version), !installed.isEmpty || !release.isActive(at: instant) else {
                return nil
            }
        }
        return release.downloadPosition(of: facts, in: candidate.positions).flatMap {
            release.downloadAfter($0, at: now)
        }
    }
}

/// The check of a release against the rules for a device.
package struct RuleCheck: Sendable, Equatable {
    package let release: Release
    /// The first rule that keeps the release from the device; `nil` if none does.
    package let refusal: Refusal?
    /// Whether only a release of higher rank keeps this one from the device.
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
