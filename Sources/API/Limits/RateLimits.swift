import Ground
import HTTP

/// The requests per second that are accepted from one address or with one token; further ones get `rateLimited`.
///
/// The limits are generous, since a carrier or an office shares one address. Checks for updates have no limit in any
/// configuration (clients.md C9).
package struct RateLimits: Sendable, Hashable {
    /// The limit of the operators' routes, by address and again by token; zero for no limit.
    package var operatorsPerSecond: Int
    /// The limit of `/report`, by address; zero for no limit.
    package var reportsPerSecond: Int
    /// The limit of `/permissions`, whose responses are signed, by address; zero for no limit.
    package var grantsPerSecond: Int

    package init(operatorsPerSecond: Int = 50, reportsPerSecond: Int = 100, grantsPerSecond: Int = 20) {
        self.operatorsPerSecond = operatorsPerSecond
        self.reportsPerSecond = reportsPerSecond
        self.grantsPerSecond = grantsPerSecond
    }

    package static let off = RateLimits(operatorsPerSecond: 0, reportsPerSecond: 0, grantsPerSecond: 0)

    /// The seconds' worth of requests that may arrive at once.
    static let operatorsBurst = 4
    static let reportsBurst = 10
    static let grantsBurst = 10

    var operators: TokenBucket.Rate? { Self.rate(operatorsPerSecond, burst: Self.operatorsBurst) }
    var reports: TokenBucket.Rate? { Self.rate(reportsPerSecond, burst: Self.reportsBurst) }

    var grants: TokenBucket.Rate? { Self.rate(grantsPerSecond, burst: Self.grantsBurst) }

    private static func rate(_ perSecond: Int, burst: Int) -> TokenBucket.Rate? {
        perSecond == 0 ? nil : TokenBucket.Rate(perSecond: perSecond, burst: perSecond * burst)
    }
}
