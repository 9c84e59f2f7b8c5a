import Glibc

/// The limit on the process's open descriptors.
package enum DescriptorLimit {
    /// Raises the soft limit, which is low for programs that use `select`, to the hard one, and returns the limit.
    ///
    /// Affects the whole process. If the system refuses, the limit stays unchanged.
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
