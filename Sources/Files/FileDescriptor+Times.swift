import Glibc

extension FileDescriptor {
    /// Sets the access and modification times of the file, in milliseconds since 1970.
    package func setTimes(_ milliseconds: Int64) throws(SystemError) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        try SystemError.check("dating", path) { futimens(number, [moment, moment]) }
    }

    /// Sets only the modification time of the file, in milliseconds since 1970.
    package func setModified(_ milliseconds: Int64) throws(SystemError) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        let unchanged = timespec(tv_sec: 0, tv_nsec: Self.omittedTime)
        try SystemError.check("dating", path) { futimens(number, [unchanged, moment]) }
    }

    /// `UTIME_OMIT`, a macro that Swift does not import.
    private static let omittedTime = (1 << 30) - 2
}
