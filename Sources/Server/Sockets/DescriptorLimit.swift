import Glibc

/// How many descriptors the process may have open.
package enum DescriptorLimit {
    /// Raises the soft limit, which is low for the sake of programs that use `select`, to the hard one.
    ///
    /// Affects the whole process. Where the system refuses, the limit stays as it is. Returns what it is then.
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
