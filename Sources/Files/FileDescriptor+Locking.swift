import Glibc

extension FileDescriptor {
    /// Milliseconds that another holder of a lock is waited for: one that is just ending, or a program that was just
    /// started and has the descriptor until it runs.
    package static let lockPatience = 1000

    /// Takes the file's lock for as long as it is open; `false` where another open file keeps it.
    package func tryLock() throws(SystemError) -> Bool {
        for _ in 0..<Self.lockPatience / 20 {
            do throws(SystemError) {
                try SystemError.check("locking", path) { flock(number, LOCK_EX | LOCK_NB) }
                return true
            } catch  where error.number == EWOULDBLOCK {
                usleep(20_000)
            }
        }
        return false
    }
}
