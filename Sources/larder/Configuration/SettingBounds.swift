/// The upper bounds of settings.
enum SettingBounds {
    /// The bytes of a zip and of its content: the limit without zip64, which some clients cannot read.
    static let bytes = 0xFFFF_FFFE
    /// The bytes of a thousand of the largest zips.
    static let openUploadBytes = 1_000 * bytes
    /// The bytes of a cache: from 64 MiB to a pebibyte.
    static let leastCacheBytes = 64 << 20
    static let cacheBytes = 1 << 50
    /// The files of a zip: the limit without zip64, less the two descriptors that an archive adds.
    static let files = 0xFFFF - 2
    /// The best ratio of deflate: 258 bytes from two bits.
    static let compressionRatio = 1032
    /// The number of reports in some hundred gigabytes.
    static let reports = 1_000_000_000
    /// The number of devices that take some gigabytes of memory.
    static let devicesSeen = 100_000_000
    static let keptVersions = 1_000_000
    /// A century in days.
    static let keptDays = 36_500
    /// Ten years in hours.
    static let graceHours = 87_600
    /// The range of connection indexes in an event loop.
    static let connections = 1 << 24
    /// A day in seconds.
    static let drainSeconds = 86_400
    /// Ten years in seconds.
    static let hstsSeconds = 315_360_000
    /// Twice the longest drain.
    static let takeoverSeconds = 2 * drainSeconds
}
