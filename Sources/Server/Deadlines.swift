/// The times that the server waits for a peer, by the monotonic clock.
///
/// A deadline is never early, and late by at most 17 milliseconds and the machine's own delay.
package struct Deadlines: Sendable, Hashable {
    /// The time from the connection to the end of its TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// The time from the first byte of a head to its end; afterwards the response is 408.
    package var head: Duration = .seconds(10)
    /// The time in which a body must arrive at ``leastRate``; for a discarded body, the time for all of it.
    package var bodyIdle: Duration = .seconds(30)
    /// The time from the end of a head to that of a small body that its handler reads.
    package var body: Duration = .seconds(60)
    /// The limit in bytes up to which a handler's body counts as small; the time for larger ones is unbounded while
    /// data arrives.
    package static let smallBodyBytes = 1 << 20
    /// The time without a request in progress.
    package var keepAlive: Duration = .seconds(75)
    /// The time without a request in progress during which polls on `/push` are evicted before this connection.
    ///
    /// Two round trips of a slow network, so that new clients can send their request.
    package var idleGrace: Duration = .seconds(2)
    /// The time in which the peer must take output at ``leastRate``.
    package var stalledWrite: Duration = .seconds(30)
    /// The average number of bytes per second that a peer has to send or take to get more time; at least one.
    ///
    /// A connection over the worst mobile networks reaches some thousands.
    package var leastRate = 256
    /// The time from the last response to the peer's own close; further input is discarded.
    package var linger: Duration = .seconds(30)
    /// The ``linger`` time while the server drains: a peer that has its response does not delay the drain.
    package var drainLinger: Duration = .seconds(1)
    /// The interval at which a lingering connection is checked for acknowledgement of the last bytes that the kernel
    /// encrypts.
    package var lingerInterval: Duration = .milliseconds(100)
    /// The time during a drain for the first request of a new connection, whose client is about to send one.
    package var drainGreeting: Duration = .seconds(2)
    /// The time from ``HTTPServer/drain()`` to the end, regardless of the requests in progress.
    package var drain: Duration = .seconds(30)

    package init() {}

    /// Returns the number of bytes that have to move in a wait of this duration.
    func least(in duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        return max(leastRate * milliseconds / 1_000, 1)
    }
}
