/// How long the body of a message is, where its head says so (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// There is none.
    case none
    /// Exactly so many bytes, at least one.
    case length(Int)
    /// In chunks, the last of which is empty.
    case chunked
}
