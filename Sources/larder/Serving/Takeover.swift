import Domain
import Store

/// The acquisition of the data directory, which the previous process may still hold while it drains.
struct Takeover {
    let path: String
    let purpose: DataDirectory.Purpose
    /// The longest time to wait for the previous process.
    let patience: Duration
    let clock: any WallClock
    let log: any Log

    /// Blocks until the directory is free; returns `nil` if `isEnough` becomes true first.
    ///
    /// Throws `busy` if the directory is not free in time.
    func run(until isEnough: () -> Bool) throws(PlatformError) -> DataDirectory? {
        let end = ContinuousClock.now + patience
        var isSaid = false
        while true {
            do throws(PlatformError) {
                return try DataDirectory(path, at: clock.now(), for: purpose)
            } catch {
                guard error.code == .busy, ContinuousClock.now < end else { throw error }
                if isEnough() { return nil }
                if !isSaid { log.write("data.awaited", ["what": error.message]) }
                isSaid = true
            }
        }
    }
}
