/// The most that settings may be set to.
enum SettingBounds {
    /// Of a zip and of what is in it: what fits without zip64, which not every client can read.
    static let bytes = 0xFFFF_FFFE
    /// A thousand of the largest zips.
    static let openUploadBytes = 1_000 * bytes
    /// The same for counts, less the two descriptors that an archive has beside its package's files.
    static let files = 0xFFFF - 2
    /// Deflate gets no further: 258 bytes from two bits.
    static let compressionRatio = 1032
    /// Some hundred gigabytes of them.
    static let reports = 1_000_000_000
    /// Some gigabytes of memory.
    static let devicesSeen = 100_000_000
    static let keptVersions = 1_000_000
    /// A century.
    static let keptDays = 36_500
    /// Ten years.
    static let graceHours = 87_600
    /// What the places of connections in a loop are numbered by.
    static let connections = 1 << 24
    /// A day.
    static let drainSeconds = 86_400
    /// Ten years.
    static let hstsSeconds = 315_360_000
    /// A drain, and as long again.
    static let takeoverSeconds = 2 * drainSeconds
}
