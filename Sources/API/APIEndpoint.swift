import Domain
import HTTP

/// A route's handler, which decides on the event loop from the head of a request and the variable parts of its path.
struct APIEndpoint: Sendable {
    let answer: @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
}

extension Router where Endpoint == APIEndpoint {
    /// Adds a route.
    mutating func add(
        _ method: Method, _ pattern: String,
        answer: @escaping @Sendable (RequestHead, PathParameters) throws(PlatformError) -> Disposition
    ) {
        add(method, pattern, APIEndpoint(answer: answer))
    }
}
