/// Something that went wrong inside the server while it runs, and that no caller is there to be told.
package enum Incident: Sendable, CustomStringConvertible {
    /// No connection could be accepted; accepting pauses for a moment.
    case acceptFailed(reason: String)
    /// As many connections as are allowed: each further one takes the place of an idle one, or waits until one ends.
    case connectionsExhausted(limit: Int)
    /// TLS could not begin on a connection, for a reason of the server's own.
    case sessionFailed(reason: String)
    /// The producer of a streamed body threw, or wrote another length than it had declared; the peer sees the
    /// connection break.
    case streamFailed(reason: String)
    /// A file was shorter than its region; the peer sees the connection break.
    case fileTruncated
    /// Connections that the drain deadline cut off.
    case drainCutOff(connections: Int)

    package var description: String {
        switch self {
        case .acceptFailed(let reason): "cannot accept connections: \(reason)"
        case .connectionsExhausted(let limit): "all \(limit) connections are in use"
        case .sessionFailed(let reason): "TLS cannot begin: \(reason)"
        case .streamFailed(let reason): "a streamed answer failed: \(reason)"
        case .fileTruncated: "a file became shorter while it was sent"
        case .drainCutOff(let connections): "\(connections) connections were cut off by the end of the drain"
        }
    }
}
