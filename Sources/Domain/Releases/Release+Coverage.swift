import Ground

/// The comparison of the devices that two releases admit, by their rules alone.
extension Release {
    /// Returns whether this release certainly admits every device that another one admits at an instant.
    ///
    /// Ignores dependencies, which are decided for each device. A release of a set covers others only if the terms of
    /// the set alone determine its devices.
    func covers(_ other: Release, at instant: Timestamp) -> Bool {
        guard !isHalted, !hasEnded, isActive(at: instant) else { return false }
        if let set, set.id != other.set?.id, !set.isPlain { return false }
        guard terms.floor == nil || terms.floor == other.terms.floor else { return false }
        let (own, others) = (audience(at: instant), other.audience(at: instant))
        guard own.excluded == nil || own.excluded == others.excluded else { return false }
        guard own.rules.allSatisfy({ others.rules.contains($0) }) else { return false }
        return sharesCover(other, at: instant) && requirements.hostLimitsCover(other.requirements)
    }

    private func sharesCover(_ other: Release, at instant: Timestamp) -> Bool {
        let percent = percent(at: instant)
        if percent == .all { return true }
        let lists = (own: terms.audience.whitelist, other: other.terms.audience.whitelist)
        guard lists.other == nil || lists.own == lists.other else { return false }
        let reached = other.percent(at: instant)
        return reached == .none || terms.salt == other.terms.salt && percent >= reached
    }

    /// Returns whether certainly no device is admitted by both releases at an instant.
    func isDisjoint(from other: Release, at instant: Timestamp) -> Bool {
        if requirements.hostLimitsEndBelow(other.requirements)
            || other.requirements.hostLimitsEndBelow(requirements)
        {
            return true
        }
        let others = other.audience(at: instant).rules
        return audience(at: instant).rules.contains { rule in
            others.contains { $0.isDisjoint(from: rule) }
        }
    }
}

extension VersionRequirements {
    /// Returns whether every host app that meets the other requirements certainly meets these.
    fileprivate func hostLimitsCover(_ other: VersionRequirements) -> Bool {
        guard Set(apis).isSubset(of: other.apis) else { return false }
        if let minAppVersion, minAppVersion != other.minAppVersion {
            guard let own = OrderedVersion(minAppVersion),
                let lowest = other.minAppVersion.flatMap({ OrderedVersion($0) }), own <= lowest
            else { return false }
        }
        if let maxAppVersion, maxAppVersion != other.maxAppVersion {
            guard let highest = other.maxAppVersion.flatMap({ OrderedVersion($0) }),
                let own = OrderedVersion(maxAppVersion), highest <= own,
                // The maximum '9' includes all of 9, '9.0' less.
                highest.writtenNumbers >= own.writtenNumbers
            else { return false }
        }
        return true
    }

    /// Returns whether the other requirements begin above the highest host app of these.
    fileprivate func hostLimitsEndBelow(_ other: VersionRequirements) -> Bool {
        guard let maxAppVersion, let range = VersionRange(from: nil, through: maxAppVersion),
            let lowest = other.minAppVersion.flatMap({ OrderedVersion($0) })
        else { return false }
        return !range.contains(lowest)
    }
}

extension AudienceRule {
    /// Returns whether certainly no value of the fact meets both rules.
    fileprivate func isDisjoint(from other: AudienceRule) -> Bool {
        guard fact == other.fact else { return false }
        func folded(_ values: [String]) -> Set<String> { Set(values.map { $0.lowercased() }) }
        switch (test, other.test) {
        case (.isIn(let own), .isIn(let others)): return folded(own).isDisjoint(with: folded(others))
        case (.isIn(let own), .notIn(let others)), (.notIn(let others), .isIn(let own)):
            return folded(own).isSubset(of: folded(others))
        default: return false
        }
    }
}
