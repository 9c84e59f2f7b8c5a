import Glibc

/// How many descriptors the process may have open.
package enum DescriptorLimit {
    /// Raises the soft limit, which is low for the sake of programs that use `select`, to the hard one.
    ///
    /// Affects the whole process. Where the system refuses, the limit stays as it is.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
