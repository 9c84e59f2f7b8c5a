/// The information on the body's length in a response head.
package enum BodyHeading: Hashable, Sendable {
    /// No field: the status has no body, or the body ends with the connection.
    case none
    case length(Int)
    case chunked
}
