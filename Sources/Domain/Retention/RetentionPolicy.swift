import Ground

/// The policy that determines how long unneeded items are kept (semantics.md §8).
package struct RetentionPolicy: Sendable, Equatable {
    /// The minimum of ``graceHours``: a device may act on yesterday's response.
    package static let minimumGraceHours = 24
    package static let defaultGraceHours = 30 * 24
    /// The milliseconds between two runs that count at most: the server runs once a day.
    package static let countedAtOnce: Int64 = 25 * 3_600_000

    /// The number of newest versions of a package that stay; `nil` to keep none for that reason.
    package let keepVersions: Int?
    /// The number of days for which versions stay after publishing; `nil` to keep none for that reason.
    package let keepDays: Int?
    /// The hours for which an archive or patch stays after the last response that named it.
    package let graceHours: Int

    /// Fails for a grace period below ``minimumGraceHours``, and for negative numbers.
    ///
    /// Versions are removed only if at least one of the first two is given.
    package init?(keepVersions: Int? = nil, keepDays: Int? = nil, graceHours: Int = defaultGraceHours) {
        guard graceHours >= Self.minimumGraceHours, keepVersions ?? 0 >= 0, keepDays ?? 0 >= 0 else { return nil }
        self.keepVersions = keepVersions
        self.keepDays = keepDays
        self.graceHours = graceHours
    }

    private init() {
        keepVersions = nil
        keepDays = nil
        graceHours = Self.defaultGraceHours
    }

    /// The default policy: removes no version, and patches after 30 days.
    package static let standard = RetentionPolicy()

    package var removesVersions: Bool { keepVersions != nil || keepDays != nil }

    /// Returns the latest time of a mark whose grace period is over at `now`.
    func graceEnd(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -Int64(graceHours) * 3_600_000) }

    func oldestKept(at now: Timestamp) -> Timestamp? {
        keepDays.map { now.adding(milliseconds: -Int64($0) * 86_400_000) }
    }
}
