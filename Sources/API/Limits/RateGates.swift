import Domain
import HTTP
import Platform

/// The rate limiters of all routes that have a limit.
struct RateGates: Sendable {
    private let operators: RateLimiter<PeerAddress>?
    private let holders: RateLimiter<Principal>?
    private let reports: RateLimiter<PeerAddress>?
    private let grants: RateLimiter<PeerAddress>?

    init(_ limits: RateLimits, elapsed: @escaping @Sendable () -> Duration) {
        operators = limits.operators.map { RateLimiter($0, elapsed: elapsed) }
        holders = limits.operators.map { RateLimiter($0, elapsed: elapsed) }
        reports = limits.reports.map { RateLimiter($0, elapsed: elapsed) }
        grants = limits.grants.map { RateLimiter($0, elapsed: elapsed) }
    }

    /// Counts a request to an operators' route by its address, before the token is checked.
    func admitOperator(from client: PeerAddress) throws(PlatformError) {
        try operators?.admit(client.group)
    }

    /// Counts a request to an operators' route by its token or user.
    func admit(_ author: Operator) throws(PlatformError) {
        if let holder = author.principal { try holders?.admit(holder) }
    }

    /// Counts a request to `/report`.
    func admitReport(from client: PeerAddress) throws(PlatformError) {
        try reports?.admit(client.group)
    }

    /// Counts a request to `/permissions`.
    func admitGrant(from client: PeerAddress) throws(PlatformError) {
        try grants?.admit(client.group)
    }
}
