package import Domain
import Files
import Glibc
package import Ground

/// A hold that keeps a server from removing blobs while a backup copies them.
///
/// A backup holds a shared lock of the file `backup.lock` in the data directory and renews its modification time; a
/// server holds the lock exclusively while it removes blobs. The kernel releases the lock of a killed process. A hold that
/// was not renewed for ``lapse`` has lapsed: the server removes blobs in spite of it, and a backup that continues finds
/// them missing and begins again.
package final class RemovalHold {
    static let fileName = "backup.lock"
    /// The milliseconds without a renewal after which a hold has lapsed.
    package static let lapse: Int64 = 15 * 60_000
    /// The time for which a backup waits for a server that is removing blobs.
    package static let lockTimeout: Duration = .seconds(60)
    private static let renewalInterval: Duration = .seconds(5)

    private let file: FileDescriptor
    private var nextRenewal = ContinuousClock.now

    /// Acquires the hold, and waits for a server that is removing blobs.
    ///
    /// Throws `busy` if the server still removes blobs after `timeout`. Blocks.
    package init(
        on directory: String, at now: Timestamp, within timeout: Duration = lockTimeout
    ) throws(PlatformError) {
        do {
            file = try Self.open(in: directory)
        } catch {
            throw PlatformError(storing: error)
        }
        try PlatformError.storing {
            // A backup by root must not keep the server's own account from the file.
            try file.own(like: directory)
            guard try file.lock(.shared, within: timeout) else {
                throw PlatformError(.busy, "The server is removing blobs. Try again in a minute.")
            }
        }
        try renew(at: now)
    }

    deinit { file.unlock() }

    /// Renews the hold if the last renewal was some seconds ago.
    func renew(at now: Timestamp) throws(PlatformError) {
        guard ContinuousClock.now >= nextRenewal else { return }
        try renewNow(at: now)
    }

    /// Renews the hold regardless of the last renewal.
    func renewNow(at now: Timestamp) throws(PlatformError) {
        nextRenewal = ContinuousClock.now + Self.renewalInterval
        try PlatformError.storing { try file.setTimes(now.milliseconds) }
    }

    /// Whether a server may remove blobs in spite of a hold.
    static func hasLapsed(renewedAt: Timestamp, now: Timestamp) -> Bool {
        abs(now.milliseconds - renewedAt.milliseconds) > lapse
    }

    /// Returns a server's permit to remove blobs, or `nil` while a backup holds them.
    static func permit(in directory: String, at now: Timestamp) throws(SystemError) -> RemovalPermit? {
        let file = try open(in: directory)
        if try file.lock(within: .zero) {
            let number = file.release()
            return RemovalPermit {
                flock(number, LOCK_UN)
                close(number)
            }
        }
        let renewedAt = Timestamp(milliseconds: try file.measure().writtenAt)
        return hasLapsed(renewedAt: renewedAt, now: now) ? RemovalPermit {} : nil
    }

    private static func open(in directory: String) throws(SystemError) -> FileDescriptor {
        try FileDescriptor.ofOwnFile("\(directory)/\(fileName)", O_RDWR | O_CREAT, mode: 0o600)
    }
}
