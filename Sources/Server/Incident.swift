/// An internal error of the running server that has no caller to be thrown to.
package enum Incident: Sendable, CustomStringConvertible {
    /// Accepting a connection failed; accepting pauses briefly.
    case acceptFailed(reason: String)
    /// The maximum number of connections is reached: each further one replaces an idle one, or waits until one ends.
    case connectionsExhausted(limit: Int)
    /// TLS could not begin on a connection because of an error of the server.
    case sessionFailed(reason: String)
    /// The producer of a streamed body threw, or wrote another length than it declared; the connection was aborted.
    case streamFailed(reason: String)
    /// A file was shorter than its region; the connection was aborted.
    case fileTruncated
    /// The drain deadline cut off this many connections.
    case drainCutOff(connections: Int)

    package var description: String {
        switch self {
        case .acceptFailed(let reason): "cannot accept connections: \(reason)"
        case .connectionsExhausted(let limit): "all \(limit) connections are in use"
        case .sessionFailed(let reason): "a TLS session cannot be created: \(reason)"
        case .streamFailed(let reason): "a streamed response failed: \(reason)"
        case .fileTruncated: "a file became shorter while it was sent"
        case .drainCutOff(let connections): "\(connections) connections were cut off by the end of the drain"
        }
    }
}
