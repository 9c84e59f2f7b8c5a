import Glibc

extension FileDescriptor {
    /// How long another holder of a lock is waited for: one that is just ending, or a program that was just started and
    /// has the descriptor until it runs.
    package static let lockPatience: Duration = .seconds(1)

    /// The kind of a file lock.
    package enum Lock: Sendable {
        /// One holder at a time.
        case exclusive
        /// Any number of shared holders, and no exclusive one.
        case shared
    }

    /// Takes the file's lock for as long as it is open; `false` where another open file keeps it for so long.
    ///
    /// Blocks its thread meanwhile.
    package func lock(_ kind: Lock = .exclusive, within patience: Duration) throws(SystemError) -> Bool {
        let operation = kind == .exclusive ? LOCK_EX : LOCK_SH
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(SystemError) {
                try SystemError.check("locking", path) { flock(number, operation | LOCK_NB) }
                return true
            } catch  where error.number == EWOULDBLOCK {
                guard ContinuousClock.now < deadline else { return false }
                usleep(20_000)
            }
        }
    }
}
