import HTTP

/// How many requests a second are taken of one address, or with one token; more are told to come back.
///
/// Generous: behind the address of a carrier or an office there are many. Checks for updates have no such limit, whatever
/// is set (clients.md C9).
package struct RateLimits: Sendable, Hashable {
    /// Of the operators' routes, by address and again by token; zero for any number.
    package var operatorsPerSecond: Int
    /// Of `/report`, by address; zero for any number.
    package var reportsPerSecond: Int
    /// Of `/permissions`, each of which is signed, by address; zero for any number.
    package var grantsPerSecond: Int

    package init(operatorsPerSecond: Int = 50, reportsPerSecond: Int = 100, grantsPerSecond: Int = 20) {
        self.operatorsPerSecond = operatorsPerSecond
        self.reportsPerSecond = reportsPerSecond
        self.grantsPerSecond = grantsPerSecond
    }

    package static let off = RateLimits(operatorsPerSecond: 0, reportsPerSecond: 0, grantsPerSecond: 0)

    /// Seconds' worth of requests that may come at once.
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
