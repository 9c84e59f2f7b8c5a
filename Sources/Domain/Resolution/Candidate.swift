import Ground

/// A release with the lists and tables that its rules need.
///
/// A class, since one response evaluates thousands of them and a release is large to copy.
package final class Candidate: Sendable {
    package let release: Release
    /// The order of buckets; `nil` if the percentage is always zero or 100.
    let positions: PositionTable?
    let whitelist: DeviceSet?
    let excluded: DeviceSet?
    /// The suitable host-app versions, parsed once; `nil` for any.
    private let appVersions: VersionRange?
    /// Whether the files of the version are stored.
    let hasFiles: Bool

    package init(
        _ release: Release, positions: PositionTable? = nil, whitelist: DeviceSet? = nil, excluded: DeviceSet? = nil,
        hasFiles: Bool = true
    ) {
        self.release = release
        appVersions = release.requirements.appVersions
        self.positions = positions
        self.whitelist = whitelist
        self.excluded = excluded
        self.hasFiles = hasFiles
    }

    /// Returns the first rule of the audience, including host-app limits, that rejects the device; `nil` if it is
    /// admitted.
    func refusal(of facts: DeviceFacts, at instant: Timestamp) -> Refusal? {
        if let list = release.terms.audience.excluded {
            guard let key = facts.identity?.key else { return .unknownDevice(list) }
            if excluded?.contains(key) ?? true { return .excluded(list) }
        }
        if let refusal = shareRefusal(of: facts, at: instant) { return refusal }
        if let rule = release.terms.audience.rules.first(where: { !$0.isMet(by: facts) }),
            release.appliesRules(at: instant)
        {
            return .rule(rule, has: facts[rule.fact])
        }
        if let range = appVersions {
            guard let value = facts.value(of: .appVersion), let version = value.ordered, range.contains(version) else {
                return .appVersion(range, has: facts[.appVersion])
            }
        }
        return nil
    }

    private func shareRefusal(of facts: DeviceFacts, at instant: Timestamp) -> Refusal? {
        let percent = release.percent(at: instant)
        guard percent < .all else { return nil }
        if let key = facts.identity?.key, whitelist?.contains(key) ?? false { return nil }
        let position = facts.bucket.flatMap { positions?.position(of: $0) }
        if let position, position < percent.value { return nil }
        return .percentage(percent, position: position, whitelist: release.terms.audience.whitelist)
    }
}
