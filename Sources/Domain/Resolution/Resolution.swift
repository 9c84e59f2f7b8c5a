/// Which releases a device gets: a pure function of a snapshot, of what the device says, and of an instant.
package struct Resolution: Sendable {
    private let snapshot: ReleaseSnapshot
    private let facts: DeviceFacts
    private let instant: Timestamp
    /// The versions of packages that others depend on.
    private var known: [Question: VersionString?] = [:]

    private struct Question: Hashable {
        let package: PackageID
        let instant: Timestamp
    }

    package init(_ snapshot: ReleaseSnapshot, facts: DeviceFacts, at instant: Timestamp) {
        self.snapshot = snapshot
        self.facts = facts
        self.instant = instant
    }

    /// What the device gets of a package, now and next.
    package mutating func standing(of package: PackageID) -> Standing {
        guard let releases = snapshot.packages[package] else { return .nothing }
        let current = winner(of: releases, at: instant)
        var next: (Candidate, Timestamp)?
        let moments = Set(releases.candidates.map(\.release.activeTime).filter { $0 > instant })
        for moment in moments.sorted() where next == nil {
            // Changed by its moment, not by a step that another one takes until then.
            guard let winner = winner(of: releases, at: moment), winner.release.activeTime == moment else { continue }
            next = (winner, moment)
        }
        return Standing(
            current: current.map { offer($0, of: releases, at: instant) },
            next: next.map { offer($0.0, of: releases, at: $0.1) })
    }

    /// Why a release is not offered at an instant, whatever has a higher rank; `nil` where it may be.
    package mutating func refusal(of candidate: Candidate, at instant: Timestamp) -> Refusal? {
        let release = candidate.release
        guard release.isActive(at: instant) else { return .notYet(release.activeTime) }
        guard candidate.hasFiles else { return .noFiles }
        let installed = installed(of: release.package)
        guard release.keepsDevices else { return .neverBegan }
        if release.isHalted, !(installed ?? []).contains(release.version) { return .halted }
        if let refusal = candidate.refusal(of: facts, at: instant) { return refusal }
        if let refusal = apiRefusal(of: release.requirements.apis) { return refusal }
        if let floor = release.terms.floor, !floor.admits(installed) { return .floor(floor, has: installed?.first) }
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
        let question = Question(package: package, instant: instant)
        if let version = known[question] { return version }
        var version = installed(of: package)?.first
        if let releases = snapshot.packages[package], !snapshot.disabled.contains(package) {
            version = winner(of: releases, at: instant)?.release.version ?? version
        }
        known[question] = .some(version)
        return version
    }

    // MARK: Who has to update

    private mutating func offer(
        _ candidate: Candidate, of releases: PackageReleases, at instant: Timestamp
    ) -> Standing.Offer {
        let rank = candidate.release.rank
        let matching = { [facts] (other: Candidate) in
            other.release.rank <= rank && other.release.isActive(at: instant) && !other.release.isHalted
                && other.refusal(of: facts, at: instant) == nil
        }
        let mandatoryAfter = releases.mandatory.first(where: matching)?.release.rank
        return Standing.Offer(
            release: candidate.release, mandatoryAfter: mandatoryAfter,
            isMandatory: installed(of: candidate.release.package).map { installed in
                guard let mandatoryAfter else { return false }
                let own = installed.first.flatMap { used in
                    (releases.candidates + releases.hidden).filter { other in
                        other.release.version == used && (other.release.id == candidate.release.id || matching(other))
                    }.map(\.release.rank).max()
                }
                return own.map { $0 < mandatoryAfter } ?? true
            })
    }
}

/// A release that was looked at for a device, and what came of it.
package struct Look: Sendable, Equatable {
    package let release: Release
    /// The first rule that said no; `nil` where none did.
    package let refusal: Refusal?
    /// Whether it would be offered, were there not one of higher rank.
    package let isHidden: Bool
}

extension Resolution {
    /// Every release of a package in the order in which they are looked at, and the first rule that said no to each.
    package mutating func trace(of package: PackageID) -> [Look] {
        guard let releases = snapshot.packages[package] else { return [] }
        var hasWinner = false
        return releases.candidates.map { candidate in
            let refusal = refusal(of: candidate, at: instant)
            defer { hasWinner = hasWinner || refusal == nil }
            return Look(release: candidate.release, refusal: refusal, isHidden: hasWinner && refusal == nil)
        }
    }
}
