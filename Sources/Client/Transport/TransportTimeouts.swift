/// How long the parts of an exchange may take.
package struct TransportTimeouts: Sendable, Equatable {
    /// From the beginning to the point where the request can be sent: looking up the host, trying its addresses, the
    /// tunnel of a proxy, and TLS.
    package var connect: Duration
    /// From the end of the request to the end of the answer's head.
    package var answer: Duration
    /// Without a byte, while a body is read or written.
    package var idle: Duration

    package init(
        connect: Duration = .seconds(10), answer: Duration = .seconds(60), idle: Duration = .seconds(30)
    ) {
        self.connect = connect
        self.answer = answer
        self.idle = idle
    }
}
