/// The timeouts of the phases of an exchange.
package struct TransportTimeouts: Sendable, Equatable {
    /// The time until the request can be sent: resolving the host, trying its addresses, the tunnel of a proxy, and
    /// TLS.
    package var connect: Duration
    /// The time that a large body waits for `100 Continue` before it is sent without; less than ``idle``, which counts
    /// meanwhile.
    package var expectation: Duration
    /// The time from the end of the request to the end of the response's head.
    package var response: Duration
    /// The time without a byte while a body is read or written.
    package var idle: Duration

    package init(
        connect: Duration = .seconds(10), expectation: Duration = .seconds(1), response: Duration = .seconds(60),
        idle: Duration = .seconds(30)
    ) {
        self.connect = connect
        self.expectation = expectation
        self.response = response
        self.idle = idle
    }
}
