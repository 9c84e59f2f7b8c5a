/// The length of a message's body by its head (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// No body.
    case none
    /// A body of this many bytes, at least one.
    case length(Int)
    /// A chunked body.
    case chunked
}
