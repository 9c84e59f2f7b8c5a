/// A request method (RFC 9110 §9) as received.
package struct Method: Hashable, Sendable, CustomStringConvertible {
    /// The case-sensitive token.
    package let token: String

    package init(_ token: String) {
        self.token = token
    }

    package static let get = Method("GET")
    package static let head = Method("HEAD")
    package static let post = Method("POST")
    package static let put = Method("PUT")
    package static let patch = Method("PATCH")
    package static let delete = Method("DELETE")
    package static let options = Method("OPTIONS")

    package var description: String { token }
}
