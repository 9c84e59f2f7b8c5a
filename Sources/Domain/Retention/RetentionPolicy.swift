/// How long what nobody needs is kept (semantics.md §8).
package struct RetentionPolicy: Sendable, Equatable {
    /// Hours that are the least for ``graceHours``: a device may act on an answer of yesterday.
    package static let minimumGraceHours = 24
    package static let defaultGraceHours = 30 * 24
    /// Milliseconds that may pass between two looks and count: the server looks once a day.
    package static let countedAtOnce: Int64 = 25 * 3_600_000

    /// So many of the newest versions of a package stay; `nil` where none stays for that.
    package let keepVersions: Int?
    /// Versions stay for so many days after they were published; `nil` where none stays for that.
    package let keepDays: Int?
    /// How long an archive or patch stays after the last answer that named it.
    package let graceHours: Int

    /// Fails for a grace below ``minimumGraceHours``, and for negative numbers.
    ///
    /// Versions are only removed where one of the first two is given.
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

    /// Removes no version, and patches after 30 days.
    package static let standard = RetentionPolicy()

    package var removesVersions: Bool { keepVersions != nil || keepDays != nil }

    /// The last instant before which something must have happened for its grace to be over at `now`.
    func graceEnd(at now: Timestamp) -> Timestamp { now.adding(milliseconds: -Int64(graceHours) * 3_600_000) }

    func oldestKept(at now: Timestamp) -> Timestamp? {
        keepDays.map { now.adding(milliseconds: -Int64($0) * 86_400_000) }
    }
}
