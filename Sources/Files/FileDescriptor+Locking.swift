import Glibc

extension FileDescriptor {
    /// The usual time to wait for another holder of a lock, which may be about to exit, or be a child process before
    /// its exec.
    package static let lockPatience: Duration = .seconds(1)

    /// The kind of a file lock.
    package enum Lock: Sendable {
        /// One holder at a time.
        case exclusive
        /// Any number of shared holders, and no exclusive one.
        case shared
    }

    /// Releases the lock.
    ///
    /// To close the file does not suffice: a child process before its exec has it open as well.
    package func unlock() { flock(number, LOCK_UN) }

    /// Locks the file as long as it is open; returns `false` if another open file still holds the lock after
    /// `patience`.
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
