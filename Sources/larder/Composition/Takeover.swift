import Domain
import Store

/// Takes the data directory, which the process before this one may still have: it drains.
struct Takeover {
    let path: String
    /// How long another process may take to let go.
    let patience: Duration
    let clock: any WallClock
    let log: any Log

    /// Blocks until the directory is free; `nil` where `isEnough` became true before that.
    ///
    /// Throws `busy` where it is not free in time.
    func run(until isEnough: () -> Bool) throws(PlatformError) -> DataDirectory? {
        let end = ContinuousClock.now + patience
        var isSaid = false
        while true {
            do throws(PlatformError) {
                return try DataDirectory(path, at: clock.now())
            } catch {
                guard error.code == .busy, ContinuousClock.now < end else { throw error }
                if isEnough() { return nil }
                if !isSaid { log.write("data.awaited", ["what": error.message]) }
                isSaid = true
            }
        }
    }
}
