/// What a response head says about the length of its body.
package enum BodyHeading: Hashable, Sendable {
    /// Nothing: a status without a body, or a body that ends with the connection.
    case none
    case length(Int)
    case chunked
}
