/// How long the server waits for a peer, by the monotonic clock.
///
/// A deadline is never early, and late by at most 17 milliseconds and what the machine adds.
package struct Deadlines: Sendable, Hashable {
    /// From the connection to the end of its TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// From the first byte of a head to its end; past it 408.
    package var head: Duration = .seconds(10)
    /// Waiting for a body without ``leastRate`` coming; as a whole, where the body is only read to be thrown away.
    package var bodyIdle: Duration = .seconds(30)
    /// From the end of a head to that of a small body that its handler reads, however the pieces come.
    package var body: Duration = .seconds(60)
    /// Bodies that a handler limits to so many bytes are small; larger ones may take as long as they keep coming.
    package static let smallBodyBytes = 1 << 20
    /// Without a request under way.
    package var keepAlive: Duration = .seconds(75)
    /// Without a request under way, before a connection gives way to a new one earlier than those on `/push`: two round trips
    /// of a slow network, so that new clients can send their request.
    package var idleGrace: Duration = .seconds(2)
    /// Waiting for the peer to take what is sent to it, without ``leastRate``.
    package var stalledWrite: Duration = .seconds(30)
    /// Bytes a second, on the average of such a wait, that a peer has to send or take to be waited for further; one
    /// byte at least.
    ///
    /// A connection over the worst of mobile networks has some thousands.
    package var leastRate = 256
    /// From the last answer to the peer's own close; what it still sends is thrown away.
    package var linger: Duration = .seconds(30)
    /// The same once the server drains: a peer that has its answer and does not close holds nothing up.
    package var drainLinger: Duration = .seconds(1)
    /// Between two looks at whether a peer that has ended has acknowledged the last bytes that the kernel seals for it.
    package var lingerLook: Duration = .milliseconds(100)
    /// Without a request under way, once the server drains, for a connection that had none yet: its client has just
    /// connected, and is about to send one.
    package var drainGreeting: Duration = .seconds(2)
    /// From ``HTTPServer/drain()`` to the end, whatever is still under way.
    package var drain: Duration = .seconds(30)

    package init() {}

    /// The bytes that have to move in so long a wait.
    func least(in duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        return max(leastRate * milliseconds / 1_000, 1)
    }
}
